/**
 * `bidhelm account deposits`: what the marketplace and this store know of an account's money in the last two days, for a
 * person who is to say whether the rules may deposit on a store's first day with the account.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Money from "../../domain/Money.js"
import * as Deposits from "../../engine/decide/Deposits.js"
import * as When from "../../engine/decide/When.js"
import { Journal } from "../../engine/run/Journal.js"
import * as PersonPorts from "../../engine/run/PersonPorts.js"
import * as Plural from "../../reporting/Plural.js"
import * as Finance from "../../services/areas/advertising/Finance.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import { stop } from "../terminal/Stop.js"
import type { Chosen } from "./Account.js"

const days = 2

/** Reads top-ups and charges, shows them, and keeps the person's word when it is given. Nothing is sent. */
export const show = ({ config, name }: Chosen, flags: { readonly allow: boolean; readonly json: boolean }) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const finance = Finance.make(yield* MarketplaceClient)
    const nowMs = yield* Clock.currentTimeMillis
    const to = Days.ofMarket(nowMs)
    const range = { from: Days.shift(to, 1 - days), to }
    const [paid, charged] = yield* Effect.all([finance.payments(range), finance.costHistory(range)])
    const [failure] = [...paid.failures, ...charged.failures]
    if (failure !== undefined)
      return yield* stop(
        1,
        `the account's top-ups and charges could not be read: ${failure.error.message}. Nothing was allowed`
      )
    const dayStartMs = nowMs - days * Deposits.firstDayMs
    const ours = yield* journal.deposits(name, dayStartMs)
    const before = yield* journal.depositMemory(name, nowMs)
    const by = Person.name()
    if (flags.allow) yield* (yield* PersonPorts.Holdings).allowDeposits(name, by, nowMs)
    const memory = { account: name, zone: config.timeZone, ...before }
    const held = !flags.allow && Deposits.isFirstDay(memory, { dayStartMs: nowMs, nowMs, deposited: [] })
    const untold = charged.values.filter(({ sumRoubles }) => sumRoubles === undefined).length
    const spent = charged.values.reduce((sum, { sumRoubles }) => sum + (sumRoubles ?? 0), 0)
    if (flags.json)
      return yield* Output.json("account", {
        account: name,
        knownSince: new Date(before.sinceMs).toISOString(),
        held,
        allowed: flags.allow ? { by, at: new Date(nowMs).toISOString() } : null,
        topUps: paid.values,
        chargedRoubles: spent,
        chargesUntold: untold,
        deposits: ours
      })
    const at = (ms: number) => When.text(ms, config.timeZone)
    const roubles = (sum: number | undefined) =>
      sum === undefined ? "an amount that was not told" : Money.format(Money.toKopecks(Money.Roubles(sum)))
    yield* Output.data(
      [
        `${name}: this store knows its deposits since ${at(before.sinceMs)}`,
        `Top-ups that the marketplace lists since ${range.from}: ${paid.values.length === 0 ? "none" : Plural.of(paid.values.length, "top-up")}`,
        ...paid.values.map(
          ({ paidAt, sumRoubles }) => `  ${paidAt ?? "at a time not told"}  ${roubles(sumRoubles)}`
        ),
        `Charged since ${range.from}: ${roubles(spent)} for ${Plural.of(new Set(charged.values.map(({ campaignId }) => campaignId)).size, "campaign")}${untold === 0 ? "" : `, without ${Plural.of(untold, "charge")} whose amount was not told`}`,
        `Deposits that this store made in ${days} days: ${ours.length === 0 ? "none" : ""}`.trimEnd(),
        ...ours.map(
          (one) =>
            `  ${at(one.at)}  ${Money.format(Money.Kopecks(one.kopecks))}  ${one.slot} by ${one.policy}`
        ),
        flags.allow
          ? `From now on the rules may make deposits, within their limits: ${by}'s word.`
          : held
            ? `The rules make no deposit before ${at(before.sinceMs + Deposits.firstDayMs)}. Look at the campaigns' budgets; if nothing was deposited today that this store does not know: bidhelm account deposits ${name} --allow`
            : "The rules may make deposits, within their limits."
      ].join("\n")
    )
  })
