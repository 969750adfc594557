/** `bidhelm passes`: what admits whom until when, what the policies still need, and booking one. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as PassForm from "../../domain/PassForm.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import * as PassPlan from "../../engine/fulfilment/Passes.js"
import * as PassCreation from "../../engine/kinds/fulfilment/PassCreation.js"
import type { FulfilmentPolicy } from "../../engine/language/Fulfilment.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import * as PassTries from "../../engine/planning/PassTries.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as PassWords from "../../reporting/fulfilment/PassWords.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type * as Account from "../account/Account.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as Planning from "../plan/Planning.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session {
  readonly rules: Option.Option<string>
}

export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const { chosen, rules, within } = yield* Planning.openToAssemble(asked, "passes")
    yield* within(
      Effect.gen(function* () {
        const { listed, nowMs, plan } = yield* ProgressBar.shown(read(chosen, rules))
        const zone = chosen.config.timeZone
        if (asked.json)
          return yield* Output.json("passes", {
            account: chosen.name,
            passes: listed.map(({ validUntilMs, ...pass }) => ({
              ...pass,
              validUntil: When.iso(validUntilMs)
            })),
            bookings: plan.bookings.map(({ atMs, covers, form }) => ({
              ...form,
              at: When.iso(atMs),
              covers: covers.map(handOver)
            })),
            lacking: plan.lacking.map(({ because, bookedAtMs, handOver: one }) => ({
              ...handOver(one),
              because,
              bookedAt: When.iso(bookedAtMs),
              message: PassWords.ofLacking(because)
            })),
            nextCreateAt: When.iso(plan.nextCreateMs)
          })
        yield* Output.text(text(listed, plan, rules.fulfilment, nowMs, zone).map(cleanLine).join("\n"))
      })
    )
  })

const handOver = ({ policyId, trip }: PassPlan.HandOver) => ({
  policy: policyId,
  wave: trip.wave.name,
  handOverBy: When.iso(trip.handOverByMs)
})

/** Passes as they are listed, and what the policies make of them. */
const read = (chosen: Account.Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const all = yield* Passes.make(yield* MarketplaceClient).listAll
    const nowMs = yield* Clock.currentTimeMillis
    const listed = HandOverParts.passes(Passes.live(all, nowMs))
    const plan = PassPlan.plan(rules.fulfilment, listed, yield* PassTries.of(chosen.name), nowMs)
    return { listed, nowMs, plan }
  })

const text = (
  listed: ReadonlyArray<PassPlan.Listed>,
  { bookings, lacking, nextCreateMs }: PassPlan.Plan,
  policies: ReadonlyArray<FulfilmentPolicy>,
  nowMs: number,
  zone: string
): ReadonlyArray<string> => [
  listed.length === 0 ? "No pass admits anybody now." : `${Plural.of(listed.length, "pass", "passes")}`,
  ...listed.map(
    (pass) =>
      `  ${who(pass)}  ${pass.validUntilMs === undefined ? "until nobody knows when" : `until ${When.text(pass.validUntilMs, zone)}`}`
  ),
  ...(policies.some(({ passes }) => passes !== undefined)
    ? bookings.length === 0
      ? ["The policies need no other one for the next days."]
      : ["What the policies need:"]
    : ["No fulfilment policy that is switched on books passes: docs/fulfilment/policy.md"]),
  ...bookings.map(
    ({ atMs, covers, form }) =>
      `  ${who(form)}  to be made at ${When.text(atMs, zone)} for ${covers.map(({ trip }) => `${trip.wave.name} ${When.text(trip.handOverByMs, zone)}`).join(", ")}`
  ),
  ...lacking.map(
    ({ because, handOver: { policyId, trip } }) =>
      `  ${PassWords.ofLacking(because)}: ${policyId}, ${trip.wave.name} ${When.text(trip.handOverByMs, zone)}`
  ),
  nextCreateMs <= nowMs
    ? "One can be made now: bidhelm passes book"
    : `The next one can be made at ${When.text(nextCreateMs, zone)}.`
]

const who = ({ carModel, carNumber, firstName, lastName, officeId }: PassForm.PassForm): string =>
  `office ${officeId}  ${carModel} ${carNumber}  ${firstName} ${lastName}`

interface Booked extends Asked, PersonPlan.Choices {
  readonly policy: Option.Option<string>
  readonly firstName: Option.Option<string>
  readonly lastName: Option.Option<string>
  readonly car: Option.Option<string>
  readonly number: Option.Option<string>
  readonly office: Option.Option<string>
}

/** The pass of a policy, or of the flags, which go before it. */
export const book = (asked: Booked) =>
  Effect.gen(function* () {
    const { again, chosen, rules, within } = yield* Planning.openToAssemble(asked, "passes-book")
    const form = yield* formOf(asked, rules.fulfilment)
    yield* PersonPlan.answerable(asked)
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        const offices = yield* ProgressBar.shown(Passes.make(yield* MarketplaceClient).offices)
        const refusals = PassPlan.refusals(form, new Set(offices.map(({ officeId }) => officeId)))
        if (refusals.length > 0)
          return yield* stop(
            1,
            `nothing was sent, since a refused pass counts as ten, and blocks the next for long: ${refusals.map(PassWords.ofRefusal).join("; ")}`
          )
        const wanted = wantedOf(form, yield* Clock.currentTimeMillis)
        if (!asked.plan) yield* possible(chosen, rules, form)
        const still = Effect.gen(function* () {
          const rulesNow = yield* again
          const formNow = yield* formOf(asked, rulesNow.fulfilment)
          if (!PassPlan.sameForm(formNow, form))
            return yield* PersonPlan.changed([`it is for ${who(formNow)}`])
          yield* possible(chosen, rulesNow, form)
          return wanted
        })
        yield* PersonPlan.run(
          "passes-book",
          chosen,
          {
            operation: "createPass",
            wanted,
            question: `Book a pass for ${form.carModel} ${form.carNumber} at office ${form.officeId}?`,
            again: { rules: again, wanted: still }
          },
          asked
        )
        if (asked.plan) return
        const { nextCreateMs } = PassPlan.plan(
          [],
          [],
          yield* PassTries.of(chosen.name),
          yield* Clock.currentTimeMillis
        )
        yield* Output.note(`The next pass can be made at ${When.text(nextCreateMs, chosen.config.timeZone)}.`)
      })
    )
  })

const formOf = (asked: Booked, policies: ReadonlyArray<FulfilmentPolicy>) =>
  Effect.gen(function* () {
    const booking = policies.filter(({ passes }) => passes !== undefined)
    const named = Option.getOrUndefined(asked.policy)
    const policy =
      named === undefined
        ? booking.length === 1
          ? booking[0]
          : undefined
        : booking.find(({ id }) => id === named)
    if (named !== undefined && policy === undefined)
      return yield* stop(1, `no policy "${cleanLine(named)}" that is switched on books passes${ids(booking)}`)
    const { passes } = policy ?? {}
    const form = {
      firstName: Option.getOrUndefined(asked.firstName) ?? passes?.firstName,
      lastName: Option.getOrUndefined(asked.lastName) ?? passes?.lastName,
      carModel: Option.getOrUndefined(asked.car) ?? passes?.carModel,
      carNumber: Option.getOrUndefined(asked.number) ?? passes?.carNumber,
      officeId: Option.isSome(asked.office) ? asked.office.value : passes?.officeId
    }
    const absent = Object.entries(flagOf).flatMap(([field, flag]) =>
      form[field as keyof typeof form] === undefined ? [flag] : []
    )
    if (absent.length > 0)
      return yield* stop(
        1,
        `nothing was sent: give ${absent.join(", ")}, or --policy ID of a policy with passes${ids(booking)}`
      )
    const { carModel = "", carNumber = "", firstName = "", lastName = "", officeId } = form
    return {
      firstName,
      lastName,
      carModel,
      carNumber,
      officeId: Number(officeId)
    } satisfies PassForm.PassForm
  })

const flagOf = {
  firstName: "--first-name",
  lastName: "--last-name",
  carModel: "--car",
  carNumber: "--number",
  officeId: "--office"
} as const

const ids = (policies: ReadonlyArray<FulfilmentPolicy>): string =>
  policies.length === 0 ? "" : `: ${policies.map(({ id }) => id).join(", ")}`

/** The clocks may differ by minutes. */
const slackMs = 600_000

/** A pass of the same form that admits until then is as good as a new one. */
const wantedUntilMs = (nowMs: number): number => nowMs + PassPlan.holdsMs - slackMs

const wantedOf = (form: PassForm.PassForm, nowMs: number): ReadonlyArray<Wanted> => [
  {
    kind: PassCreation.name,
    action: "book_pass",
    subject: { pass: `${form.officeId}/${form.carNumber}` },
    details: { ...form },
    after: () => wantedUntilMs(nowMs)
  }
]

/** Ends the command where no pass can be made yet, unless one of that form is there. */
const possible = (chosen: Account.Chosen, rules: RuleSet, form: PassForm.PassForm) =>
  Effect.gen(function* () {
    const { listed, nowMs, plan } = yield* read(chosen, rules)
    const asLong = wantedUntilMs(nowMs)
    const isThere = listed.some((pass) => PassPlan.sameForm(pass, form) && (pass.validUntilMs ?? 0) >= asLong)
    if (!isThere && plan.nextCreateMs > nowMs)
      return yield* stop(
        5,
        `nothing was sent: an account makes one pass in ten minutes, a refused one counts as ten, the next at ${When.text(plan.nextCreateMs, chosen.config.timeZone)}`
      )
  })
