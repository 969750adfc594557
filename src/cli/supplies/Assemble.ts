/** `bidhelm supplies assemble`: a turn of the orders' lane now. A person's yes stands for the approval. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import * as Elsewhere from "../../engine/decide/Elsewhere.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type { ReviewedPlan } from "../../engine/decide/Review.js"
import type * as Assembly from "../../engine/fulfilment/Assembly.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as SupplyCreation from "../../engine/kinds/fulfilment/SupplyCreation.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { ApprovalStore } from "../../engine/planning/ApprovalStore.js"
import * as Asking from "../../engine/planning/Asking.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as LeftWords from "../../reporting/fulfilment/LeftWords.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as Wording from "../../reporting/Wording.js"
import * as Account from "../account/Account.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as HoldScope from "../people/HoldScope.js"
import * as Applying from "../plan/Applying.js"
import * as Planning from "../plan/Planning.js"
import type * as RuleFiles from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session, PersonPlan.Choices {
  readonly rules: Option.Option<string>
}

export const run = (asked: Asked) =>
  Effect.gen(function* () {
    yield* PersonPlan.answerable(asked)
    const { again, chosen, rules, within } = yield* Planning.openToAssemble(
      asked,
      asked.plan ? "plan" : "apply"
    )
    const modes = new Set(rules.fulfilment.map(({ mode }) => mode))
    if (!modes.has("approve") && !modes.has("apply") && !(asked.plan && modes.has("preview")))
      return yield* stop(
        1,
        `no fulfilment policy is in mode approve or apply, so nothing may be assembled${modes.has("preview") ? "; --plan shows what would be" : ""}: docs/fulfilment/policy.md`
      )
    yield* within(whole(asked, chosen, rules, again))
  })

/** `again` reads the rules once more. */
const whole = (asked: Asked, chosen: Account.Chosen, rules: RuleSet, again: RuleFiles.RulesRead) =>
  Effect.gen(function* () {
    yield* PersonPlan.settled(chosen, rules, asked)
    const { left, reviewed } = yield* Planning.planOrders(chosen, rules)
    const around = { zone: chosen.config.timeZone, among: Account.among(chosen) }
    yield* PersonPlan.show(chosen, reviewed, asked, leftJson(left, around))
    if (!asked.json && left.length > 0) yield* Output.text(leftText(left, around))
    if (asked.plan) return
    const ids = new Set(
      [...reviewed.appliable, ...reviewed.waiting.map(({ change }) => change)].map(({ id }) => id)
    )
    const heldNow = Applying.plainRefused(reviewed.plan.held, { ...reviewed.plan, ...around.among })
    if (ids.size === 0) {
      if (asked.json)
        yield* Output.json("apply", {
          runId: null,
          planId: reviewed.plan.id,
          changes: [],
          held: reviewed.plan.held.length,
          left: [...leftJson(left, around), ...heldNow]
        })
      else if (reviewed.plan.held.length === 0) yield* Output.text("Nothing to assemble now.")
      return yield* held(reviewed.plan, chosen)
    }
    yield* PersonPlan.consent(`Send ${Plural.of(ids.size, "change")} to ${chosen.name}?`, asked)
    const now = asked.yes
      ? { ids, left, leftOut: [], reviewed }
      : yield* confirmed(chosen, reviewed.plan, ids, again)
    const told = [...leftJson(now.left, around), ...(asked.yes ? heldNow : [])]
    yield* applied(chosen, now.reviewed, { ...asked, ...now, left: told })
  })

/**
 * The turn as it would be now, after a yes: of the changes that were agreed to, those that it makes in exactly the same way. The
 * others are left out by name, and what is new in it was not asked about.
 */
const confirmed = (
  chosen: Account.Chosen,
  { changes, currency }: Plan,
  agreed: ReadonlySet<string>,
  again: RuleFiles.RulesRead
) =>
  Effect.gen(function* () {
    const rules = yield* again
    yield* Planning.limited(chosen, rules)
    const { left, reviewed } = yield* Planning.planOrders(chosen, rules)
    const meant = changes.filter(({ id }) => agreed.has(id))
    const leftOut = yield* Applying.tellHeld(
      { changes: meant },
      { ...reviewed.plan, ...Account.among(chosen) }
    )
    const held = new Set(reviewed.plan.held.map(({ change }) => change.id))
    const may = [...reviewed.appliable, ...reviewed.waiting.map(({ change }) => change)]
    const isMade = ({ id }: Change): boolean => may.some((one) => one.id === id)
    const [creations, others] = Arr.partition(meant, ({ kind }) => kind !== SupplyCreation.name)
    const strays = Elsewhere.straysOf({ changes: others }, { ...reviewed.plan, changes: may })
    const otherwise = new Set(strays.map(({ change }) => change.id))
    const going = others.filter(({ id }) => !otherwise.has(id))
    // How many orders come into it may differ by now, but for none nobody makes a supply.
    const filled = new Set(going.map(({ after }) => after))
    const made = creations.filter((one) => isMade(one) && filled.has(one.subject.supply ?? ""))
    const ids = new Set([...made, ...going].map(({ id }) => id))
    for (const one of meant)
      if (!ids.has(one.id) && !held.has(one.id))
        yield* Output.note(
          `left out: ${Wording.effectOn(one, currency)} (${one.origin.name}): what is there or the rules have changed since, and it is not made so any more`
        )
    if (ids.size === 0) return yield* stop(1, "nothing of it may go any more; nothing was sent")
    return { ids, left, leftOut, reviewed }
  })

/** What would be assembled and may not: a script must not take it for done. */
const held = (plan: ReviewedPlan["plan"], chosen: Account.Chosen) => {
  const [first, ...more] = plan.held
  if (first === undefined) return Effect.void
  const others =
    more.length === 0 ? "" : `; ${more.length} more ${Plural.choose(more.length, "is", "are")} held`
  return stop(
    1,
    cleanLine(`nothing was sent: ${HeldReasons.text(first, { ...plan, ...Account.among(chosen) })}${others}`)
  )
}

/** What waits for a person and was agreed to is approved by name, so that no request of it stays behind. */
const applied = (
  chosen: Account.Chosen,
  reviewed: ReviewedPlan,
  choices: Applying.Choices & { readonly ids: ReadonlySet<string> }
) =>
  Effect.gen(function* () {
    const { request, waiting } = yield* Asking.afterPlan(reviewed, {
      isElsewhere: !Planning.isOwn(chosen)
    })
    const agreed = waiting.map(({ change }) => change).filter(({ id }) => choices.ids.has(id))
    if (request === undefined || agreed.length === 0) return yield* Applying.run(reviewed, chosen, choices)
    const store = yield* ApprovalStore
    const done = yield* store.decide(chosen.name, request.id, {
      to: "approved",
      by: HoldScope.person(),
      nowMs: yield* Clock.currentTimeMillis,
      ids: new Set(agreed.map(({ id }) => id))
    })
    if (!done)
      return yield* stop(
        1,
        `somebody else decides about ${request.id} right now; nothing was sent. Look again: ${Account.told(chosen, "bidhelm approvals")}`
      )
    return yield* Applying.run(reviewed, chosen, {
      ...choices,
      ...Applying.ofApproval(request, store, agreed)
    })
  })

const leftText = (left: ReadonlyArray<Assembly.Left>, around: LeftWords.Around): string =>
  [
    `Left where ${Plural.choose(left.length, "it is", "they are")}: ${Plural.of(left.length, "order")}`,
    ...LeftWords.ofOrders(left, around).map((line) => `  ${line}`)
  ].join("\n")

const leftJson = (left: ReadonlyArray<Assembly.Left>, around: LeftWords.Around) =>
  left.map(({ orderId, policy, why }) => ({
    orderId,
    policy: policy ?? null,
    ...why,
    message: LeftWords.ofLeft(why, around)
  }))
