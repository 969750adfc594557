/** `bidhelm account deposits`: a person's word that the rules may pay in the first day of an account in this store. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Prompt from "@effect/cli/Prompt"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../domain/Days.js"
import type { Chosen } from "./Account.js"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import * as Person from "./Person.js"
import { stop } from "./Stop.js"

const name = Args.text({ name: "NAME" }).pipe(
  Args.withDescription("The account, as the configuration names it")
)

export const command = Command.make(
  "deposits",
  { name, yes: Flags.yes, json: Flags.json, config: Flags.config, maxWait: Flags.session.maxWait },
  (flags) =>
    Effect.gen(function* () {
      const Account = yield* Effect.promise(() => import("./Account.js"))
      const Planning = yield* Effect.promise(() => import("./Planning.js"))
      const chosen = yield* Account.choose({ ...flags, account: Option.some(flags.name) })
      yield* Account.during(chosen, Effect.provide(allow(chosen, flags), Planning.layer(chosen)))
    })
).pipe(Command.withDescription(help("account")))

interface Choices {
  readonly yes: boolean
  readonly json: boolean
}

const allow = (chosen: Chosen, { json, yes }: Choices) =>
  Effect.gen(function* () {
    const { Journal } = yield* Effect.promise(() => import("../engine/run/Journal.js"))
    const FirstDay = yield* Effect.promise(() => import("../engine/decide/FirstDay.js"))
    const account = chosen.name
    const zone = chosen.config.timeZone
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const waiting = FirstDay.waiting(account, yield* journal.acquaintance(account, nowMs), nowMs, zone)
    if (waiting === undefined) {
      return yield* json
        ? Output.json("account", { account, firstDay: false })
        : Output.data(`${account}: nothing to allow, its rules may make deposits`)
    }
    const found = yield* look(chosen, nowMs)
    if (!json) {
      yield* Output.data(`${FirstDay.story(waiting)}.`)
      yield* Output.data(yield* text(chosen, found))
    }
    if (!yes) {
      if (!Output.answerable())
        return yield* stop(
          1,
          `nobody is here to ask. If no other store pays for ${account}, give --yes. Nothing was changed`
        )
      const message = `Does no other store pay for ${account}, and may its rules make deposits from now on?`
      if (!(yield* Prompt.confirm({ message, initial: false }))) return yield* stop(1, "nothing was changed")
    }
    yield* journal.allowDeposits(account, Person.name(), yield* Clock.currentTimeMillis)
    yield* json
      ? Output.json("account", { account, firstDay: true, allowed: true, ...found })
      : Output.data(`${account}: its rules may make deposits from now on, as you say; noted in the journal`)
  })

/** What the marketplace says of today, kopecks; a command that could not read it ends without a word given. */
const look = ({ name }: Chosen, nowMs: number) =>
  Effect.gen(function* () {
    const PaidToday = yield* Effect.promise(() => import("../engine/run/PaidToday.js"))
    const { FactSource } = yield* Effect.promise(() => import("../engine/run/Ports.js"))
    const { Journal } = yield* Effect.promise(() => import("../engine/run/Journal.js"))
    const { charged = () => Effect.succeed(undefined), paidIn } = yield* FactSource
    const today = Days.ofMarket(nowMs)
    const days = { from: today, to: today }
    const listed = yield* paidIn?.(days) ?? Effect.succeed({ unread: "this source has no such list" })
    const unread = (what: string) => stop(1, `${what} could not be read; run it again. Nothing was changed`)
    if ("unread" in listed) return yield* unread(`today's deposits (${listed.unread})`)
    const charges = yield* charged(days)
    if (charges === undefined) return yield* unread("today's charges")
    const dayStartMs = PaidToday.startOfDay(nowMs, Days.marketZone)
    const ours = yield* (yield* Journal).deposits(name, dayStartMs)
    return {
      day: today,
      depositedKopecks: listed.reduce((sum, { kopecks }) => sum + kopecks, 0),
      unknownKopecks: PaidToday.unknownTo(ours, listed, dayStartMs),
      chargedKopecks: [...charges.values()].reduce((sum, kopecks) => sum + kopecks, 0)
    }
  })

const text = ({ config }: Chosen, found: Effect.Effect.Success<ReturnType<typeof look>>) =>
  Effect.gen(function* () {
    const Print = yield* Effect.promise(() => import("../engine/facts/Print.js"))
    const money = (kopecks: number) => Print.money(kopecks, Print.currencySign(config.currency))
    const { chargedKopecks, day, depositedKopecks, unknownKopecks } = found
    return [
      `The marketplace lists for ${day}: ${money(depositedKopecks)} deposited, ${money(unknownKopecks)} of it not by this store; ${money(chargedKopecks)} charged.`,
      "What this store did not deposit counts today against every limit on deposits."
    ].join("\n")
  })
