/** `bidhelm supplies deliver`: hands a supply over, once nothing that is known stops it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import * as SupplyDelivery from "../../engine/kinds/fulfilment/SupplyDelivery.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import { cleanLine } from "../../reporting/Clean.js"
import { OrderEvents } from "../../services/ports/OrderEvents.js"
import type * as Account from "../account/Account.js"
import * as HandOverLook from "../fulfilment/HandOverLook.js"
import * as Moving from "../fulfilment/Moving.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as Planning from "../plan/Planning.js"
import type { RulesRead } from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as SupplyLines from "./SupplyLines.js"

interface Asked extends Flags.Session, PersonPlan.Choices {
  readonly supply: string
  readonly shipping: boolean
  readonly takenOut: boolean
  readonly allPacked: boolean
  readonly moveOut: Option.Option<string>
  readonly rules: Option.Option<string>
}

/** What a hand-over came to so far, as its JSON tells it however the command ends. */
interface Came {
  looked: HandOverLook.Looked | undefined
  moved: PersonPlan.Carried | undefined
  handed: PersonPlan.Carried | undefined
}

/** Ends with 4 when something stops the hand-over: then nothing is sent but what `--move-out` moved before. */
export const run = (asked: Asked) =>
  Effect.gen(function* () {
    yield* PersonPlan.answerable(asked)
    const { again, chosen, rules, within } = yield* Planning.openToAssemble(asked, "supplies-deliver")
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
        const came: Came = { looked: undefined, moved: undefined, handed: undefined }
        const ended = yield* Effect.exit(handingOver(asked, chosen, { rules, again, supplyId, came }))
        if (asked.json) yield* document(chosen, supplyId, came)
        return yield* ended
      })
    )
  })

interface Given {
  readonly rules: RuleSet
  readonly again: RulesRead
  readonly supplyId: SupplyId
  readonly came: Came
}

/** Looks, moves what fails out where a person wants that, looks again, hands over; notes in `came` what was done. */
const handingOver = (asked: Asked, chosen: Account.Chosen, { again, came, rules, supplyId }: Given) =>
  Effect.gen(function* () {
    const look = ProgressBar.shown(
      Effect.map(
        HandOverLook.look(chosen, rules, supplyId, asked),
        asked.takenOut ? withoutTakenOut : identity
      )
    )
    const looked = yield* look
    came.looked = looked
    if (!isFree(looked)) came.moved = yield* moveOut(asked, chosen, looked, { rules: again, look })
    const { moved } = came
    if (moved?._tag === "Shown") return
    if (moved?._tag === "Done") {
      if (!asked.json) yield* PersonPlan.tell(moved)
      yield* PersonPlan.end(moved.report, "; the supply was not handed over")
    }
    // What was moved is looked at again: nothing goes that is not known to be fit.
    const now = moved === undefined ? looked : yield* look
    came.looked = now
    if (!isFree(now)) return yield* refused(asked, chosen, now, "after the move")
    const rest = now.checked.rest
    const still = Effect.gen(function* () {
      const then = yield* look
      if (!isFree(then)) {
        came.looked = then
        return yield* refused(asked, chosen, then, "any more")
      }
      if (then.checked.rest.join() !== rest.join())
        return yield* PersonPlan.changed([`${supplyId} holds other orders`])
      return wanted(then)
    })
    yield* handOver(asked, chosen, now, { came, again: { rules: again, wanted: still } })
  })

/** One document, whatever became of the hand-over; none where a plan was shown, or the supply was not read. */
const document = ({ config, name }: Account.Chosen, supplyId: SupplyId, { handed, looked, moved }: Came) => {
  if (looked === undefined || moved?._tag === "Shown" || handed?._tag === "Shown") return Effect.void
  const { checked } = looked
  return Output.json("supplies-deliver", {
    account: name,
    supplyId,
    delivered: isDone(handed) ? checked.rest : [],
    moved: runOf(moved),
    run: runOf(handed),
    ...HandOverLook.asJson(checked, config.timeZone)
  })
}

const isDone = (carried: PersonPlan.Carried | undefined): boolean =>
  carried?._tag === "Done" && carried.report.status === "done"

const runOf = (carried: PersonPlan.Carried | undefined) =>
  carried?._tag === "Done" ? PersonPlan.asJson(carried.report) : null

/** Cancelled orders, and those that left, stop nothing once a person says that their goods are out of the parcel. */
const withoutTakenOut = ({ checked, ...looked }: HandOverLook.Looked): HandOverLook.Looked => ({
  ...looked,
  checked: {
    ...checked,
    takeOut: [],
    reasons: checked.reasons.filter((reason) => !HandOver.isToTakeOut(reason))
  }
})

const isFree = ({ checked }: HandOverLook.Looked): boolean =>
  checked.restCanGo && checked.moveOut.length + checked.waitFor.length + checked.takeOut.length === 0

/** The failing orders go to another supply first; ends the command where that does not help. */
const moveOut = <E, R>(
  asked: Asked,
  chosen: Account.Chosen,
  looked: HandOverLook.Looked,
  again: Pick<PersonPlan.Again, "rules"> & { readonly look: Effect.Effect<HandOverLook.Looked, E, R> }
) =>
  Effect.gen(function* () {
    const { out, to } = yield* outOf(asked, chosen, looked)
    const from = looked.supply.supplyId
    const wanted = Moving.wanted(to, placedIn(from, out))
    yield* Output.note(
      `${Plural.of(out.length, "order")} ${Plural.choose(out.length, "moves", "move")} to "${cleanLine(to.name)}" first; then ${Plural.of(looked.checked.rest.length, "order")} ${Plural.choose(looked.checked.rest.length, "is", "are")} handed over.`
    )
    const still = Effect.gen(function* () {
      const fresh = yield* again.look
      if (isFree(fresh)) return yield* PersonPlan.changed([`nothing is in the way of ${from} any more`])
      const then = yield* outOf(asked, chosen, fresh)
      return Moving.wanted(then.to, placedIn(from, then.out))
    })
    return yield* PersonPlan.carry(
      chosen,
      {
        operation: "addOrdersToSupply",
        wanted,
        question: `Move ${Plural.of(out.length, "order")} out of ${from}?`,
        again: { rules: again.rules, wanted: still }
      },
      asked
    )
  })

const placedIn = (from: SupplyId, orders: ReadonlyArray<OrderId>): ReadonlyArray<Moving.Placed> =>
  orders.map((orderId) => ({ orderId, from }))

/** Which orders go where first; ends the command where that does not help. */
const outOf = (asked: Asked, chosen: Account.Chosen, looked: HandOverLook.Looked) =>
  Effect.gen(function* () {
    const { moveOut, restCanGo, takeOut, waitFor } = looked.checked
    const out = [...moveOut, ...waitFor].sort((a, b) => a - b)
    if (Option.isNone(asked.moveOut)) return yield* refused(asked, chosen, looked, "")
    if (!restCanGo)
      return yield* refused(
        asked,
        chosen,
        looked,
        "(--move-out was not used: no order could go without these either)"
      )
    if (out.length === 0) return yield* refused(asked, chosen, looked, "")
    if (takeOut.length > 0) return yield* refused(asked, chosen, looked, "")
    if (!asked.takenOut && out.some((orderId) => looked.packed.has(orderId)))
      return yield* refused(
        asked,
        chosen,
        looked,
        "(--move-out was not used: what was packed is to leave the pile first)"
      )
    const from = looked.supply.supplyId
    const open = yield* ProgressBar.shown(Moving.openSupplies)
    const typed = asked.moveOut.value
    const own = looked.supply.name ?? ""
    // Without its marker its name is that of another of the same name, such as one to be made.
    const isOther = own !== typed.trim() && Moving.bare(own) === typed.trim()
    const among = isOther ? open.filter(({ supply }) => supply.supplyId !== from) : open
    const to = yield* Moving.goal(chosen, typed, among, [from])
    if (to.ref === from) return yield* stop(1, "--move-out names the supply itself; name another one")
    const misfits = yield* Moving.misfits(to, out, open)
    if (misfits.length > 0)
      return yield* stop(1, `nothing was sent: ${misfits.join("; ")}; name another supply, or a new one`)
    return { out, to }
  })

/** The reasons, and an end with 4. */
const refused = (asked: Asked, chosen: Account.Chosen, looked: HandOverLook.Looked, when: string) =>
  Effect.gen(function* () {
    const { checked, supply } = looked
    const { moveOut, restCanGo, takeOut, waitFor } = checked
    const { command, hasParcels } = HandOverLook.withoutThose(chosen, looked, asked)
    const way =
      restCanGo && moveOut.length + waitFor.length + takeOut.length > 0
        ? [
            `To let the rest go: ${command}${hasParcels ? ", once the goods of orders that do not go are out of the parcel" : ""}`
          ]
        : []
    const lines = HandOverLook.lines(checked, chosen.config.timeZone)
    return yield* stop(
      4,
      [
        `${supply.supplyId} was not handed over${when === "" ? "" : ` ${when}`}: ${Plural.of(checked.reasons.length, "reason")}`,
        ...lines.map((line) => `  ${line}`),
        ...way
      ].join("\n")
    )
  })

const handOver = <E, R>(
  asked: Asked,
  chosen: Account.Chosen,
  looked: HandOverLook.Looked,
  { again, came }: { readonly came: Came; readonly again: PersonPlan.Again<E, R> }
) =>
  Effect.gen(function* () {
    const { checked, supply } = looked
    const { rest } = checked
    for (const line of HandOverLook.lines(checked, chosen.config.timeZone)) yield* Output.note(line)
    const carried = yield* PersonPlan.carry(
      chosen,
      {
        operation: "deliverSupply",
        wanted: wanted(looked),
        question: `Hand ${supply.supplyId} over, ${Plural.of(rest.length, "order")} of ${chosen.name}, for good?`,
        again
      },
      asked
    )
    came.handed = carried
    if (carried._tag === "Shown") return
    if (isDone(carried)) {
      const at = yield* Clock.currentTimeMillis
      yield* (yield* OrderEvents).record(
        chosen.name,
        rest.map((orderId) => ({
          orderId,
          at,
          kind: "delivered" as const,
          detail: { supplyId: supply.supplyId }
        }))
      )
    }
    if (carried._tag === "Done") {
      if (!asked.json) yield* PersonPlan.tell(carried)
      yield* PersonPlan.end(carried.report)
    } else if (!asked.json) yield* Output.text(`${supply.supplyId} is handed over already; nothing was sent.`)
  })

const wanted = ({ checked, supply }: HandOverLook.Looked): ReadonlyArray<Wanted> => [
  {
    kind: SupplyDelivery.name,
    action: "deliver",
    subject: { supply: supply.supplyId },
    details: SupplyDelivery.details(checked.rest, supply.name),
    after: () => true
  }
]
