/**
 * `bidhelm account deposits`: what the marketplace and this store know of an account's money in the last two days, for a
 * person who is to say whether the rules may deposit on a store's first day with the account.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Money from "../../domain/Money.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import * as FirstDay from "../../engine/decide/limits/FirstDay.js"
import * as PersonPorts from "../../engine/door/HoldStore.js"
import { Journal } from "../../engine/door/Journal.js"
import type { Deposited } from "../../engine/kinds/Deposit.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as Load from "../../engine/language/Load.js"
import * as Policy from "../../engine/language/Policy.js"
import * as DepositsMade from "../../engine/planning/DepositsMade.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as TopUps from "../../marketplace/facts/TopUps.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Wording from "../../reporting/Wording.js"
import * as Finance from "../../services/areas/advertising/Finance.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import { ofCall, stop } from "../terminal/Stop.js"
import * as Account from "./Account.js"

const days = 2
const shownMs = days * 24 * 3_600_000

/** Reads top-ups and charges, shows them, and keeps the person's word when it is given. Nothing is sent. */
export const show = (chosen: Account.Chosen, flags: { readonly allow: boolean; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { config, name } = chosen
    const among = Account.among(chosen)
    const journal = yield* Journal
    const finance = Finance.make(yield* MarketplaceClient)
    const nowMs = yield* Clock.currentTimeMillis
    const to = Days.ofMarket(nowMs)
    const range = { from: Days.shift(to, 1 - days), to }
    const [paid, charged] = yield* Effect.all([finance.payments(range), finance.costHistory(range)])
    const [failure] = [...paid.failures, ...charged.failures]
    if (failure !== undefined)
      return yield* ofCall(
        failure.error,
        `the account's top-ups and charges could not be read: ${failure.error.message}. Nothing was allowed`
      )
    const mark = yield* journal.observeOnly(name)
    if (flags.allow && mark !== undefined)
      return yield* stop(
        1,
        `${mark.why}. Nothing was allowed: what was done meanwhile is not known here. First: ${OperatorHold.command("bidhelm reconcile", among)}`
      )
    const ours = yield* journal.deposits(name, nowMs - shownMs)
    const before = yield* (yield* RuleMemory).depositMemory(name, nowMs)
    const by = Person.name()
    if (flags.allow) yield* (yield* PersonPorts.Holdings).allowDeposits(name, by, nowMs)
    const memory: FirstDay.Memory = {
      account: name,
      zone: config.timeZone,
      ...before,
      ...(flags.allow ? { allowedAtMs: nowMs } : {})
    }
    const shown: Shown = {
      memory,
      sign: Wording.sign(config.currency),
      today: { dayStartMs: DepositsMade.startOfDay(nowMs, config.timeZone), nowMs },
      from: range.from,
      topUps: paid.values,
      charges: charged.values,
      ours,
      among,
      stops: yield* stopped(chosen, nowMs),
      ...(mark === undefined ? {} : { onlyLooks: mark.why }),
      ...(flags.allow ? { allowedBy: by } : {})
    }
    return yield* flags.json ? Output.json("account", json(shown)) : Output.data(text(shown).join("\n"))
  })

type Finances = ReturnType<typeof Finance.make>
type Payments = Effect.Effect.Success<ReturnType<Finances["payments"]>>["values"]
type Charges = Effect.Effect.Success<ReturnType<Finances["costHistory"]>>["values"]

interface Shown {
  readonly memory: FirstDay.Memory
  /** Of the account's currency. */
  readonly sign: string
  readonly today: FirstDay.Today
  /** The first day that was read. */
  readonly from: Days.Day
  readonly topUps: Payments
  readonly charges: Charges
  /** Deposits that this store made. */
  readonly ours: ReadonlyArray<Deposited>
  readonly among: OperatorHold.Among
  readonly stops: Stopped
  /** Why nothing at all is sent. */
  readonly onlyLooks?: string
  /** Who says now that deposits may be made. */
  readonly allowedBy?: string
}

/** What people have stopped of the account's deposits. */
interface Stopped {
  readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
  /** True when nothing is left that would deposit. */
  readonly isAll: boolean
}

/** Of rules that cannot be read every policy may be one that deposits. */
const stopped = ({ config, name }: Account.Chosen, nowMs: number) =>
  Effect.gen(function* () {
    const standing = yield* (yield* Journal).standing(name)
    const rules = yield* Effect.option(RuleFiles.find([config.rulesFolder]))
    const set = Option.getOrUndefined(Option.map(rules, (files) => Load.check(files).ruleSet))
    const paying = set?.policies.filter(Policy.paysDeposits).map(({ id }): string => id)
    const holds = standing.filter(
      (hold) =>
        OperatorHold.isStanding(hold, nowMs) &&
        hold.kind !== "target" &&
        (hold.kind !== "policy" || (paying?.includes(hold.what) ?? true))
    )
    const isHeld = (id: string) => holds.some(({ kind, what }) => kind !== "policy" || what === id)
    return {
      holds,
      isAll: paying === undefined ? holds.some(({ kind }) => kind !== "policy") : paying.every(isHeld)
    }
  })

/** What counts against today's limits beside the store's deposits; undefined when the store knows the whole day. */
const beside = ({ memory, ours, today, topUps }: Shown): FirstDay.Listed | undefined => {
  if (!FirstDay.isPartial(memory, today)) return undefined
  const read = TopUps.ofPayments(topUps)
  return "unread" in read ? read : { kopecks: FirstDay.unknownKopecks(read, ours, today) }
}

const charges = ({ charges }: Shown) => ({
  untold: charges.filter(({ sumRoubles }) => sumRoubles === undefined).length,
  roubles: charges.reduce((sum, { sumRoubles }) => sum + (sumRoubles ?? 0), 0),
  campaigns: new Set(charges.map(({ campaignId }) => campaignId)).size
})

const json = (shown: Shown) => {
  const { allowedBy, memory, onlyLooks, ours, stops, today, topUps } = shown
  const counted = beside(shown)
  const { roubles, untold } = charges(shown)
  const instant = (ms: number) => new Date(ms).toISOString()
  return {
    account: memory.account,
    knownSince: instant(memory.sinceMs),
    held: FirstDay.isWaiting(memory, today),
    allowed: allowedBy === undefined ? null : { by: allowedBy, at: instant(today.nowMs) },
    topUps,
    /** Of today, beside `deposits`; null when the store knows the whole day. */
    counted: counted ?? null,
    depositsFrom: instant(depositsFrom(shown)),
    chargedRoubles: roubles,
    chargesUntold: untold,
    deposits: ours,
    stops: stops.holds.map(({ by, kind, since, until, what }) => ({
      kind,
      what,
      by,
      since: instant(since),
      ...(until === undefined ? {} : { until: instant(until) })
    })),
    onlyLooks: onlyLooks ?? null
  }
}

const text = (shown: Shown): ReadonlyArray<string> => {
  const { memory, ours, sign, topUps } = shown
  const at = (ms: number) => When.text(ms, memory.zone)
  const { campaigns, roubles: spent, untold } = charges(shown)
  return [
    `${memory.account}: this store knows its deposits since ${at(memory.sinceMs)}`,
    `Top-ups that the marketplace lists since ${shown.from}: ${topUps.length === 0 ? "none" : Plural.of(topUps.length, "top-up")}`,
    ...topUps.map(
      (one) =>
        `  ${one.paidAt ?? "at a time not told"}  ${roubles(one.sumRoubles, sign)}${TopUps.mayBeDeposit(one) ? "" : "  not to a campaign"}`
    ),
    ...counting(beside(shown), sign),
    `Charged since ${shown.from}: ${roubles(spent, sign)} for ${Plural.of(campaigns, "campaign")}${untold === 0 ? "" : `, without ${Plural.of(untold, "charge")} whose amount was not told`}`,
    `Deposits that this store made in ${days} days: ${ours.length === 0 ? "none" : ""}`.trimEnd(),
    ...ours.map(
      (one) =>
        `  ${at(one.at)}  ${Money.format(Money.Kopecks(one.kopecks), sign)}  ${one.slot} by ${one.policy}`
    ),
    verdict(shown),
    ...stopTexts(shown)
  ]
}

const stopTexts = ({ among, memory, stops }: Shown): ReadonlyArray<string> =>
  stops.holds.map((hold) =>
    cleanLine(
      `  ${OperatorHold.scopeText(hold)}: ${OperatorHold.text(hold, memory.zone)}; resume with: ${OperatorHold.resumeWith(hold, among)}`
    )
  )

const roubles = (sum: number | undefined, sign: string) =>
  sum === undefined ? "an amount that was not told" : Money.format(Money.toKopecks(Money.Roubles(sum)), sign)

const counting = (counted: FirstDay.Listed | undefined, sign: string): ReadonlyArray<string> => {
  if (counted === undefined) return []
  return "unread" in counted
    ? [`What counts against today's limits cannot be said, and no deposit is made: ${counted.unread}`]
    : [
        `Of them ${Money.format(Money.Kopecks(counted.kopecks), sign)} of today counts against each limit of deposits of a day, because this store did not make it and no campaign is named`
      ]
}

/** When deposits may be made: at once, or when the list has what was deposited before the store; epoch milliseconds. */
const depositsFrom = ({ memory, today }: Shown): number => {
  if (FirstDay.isWaiting(memory, today)) return memory.sinceMs + FirstDay.firstDayMs
  return FirstDay.isPartial(memory, today) ? Math.max(today.nowMs, FirstDay.listableAt(memory)) : today.nowMs
}

const verdict = (shown: Shown): string => {
  const { allowedBy, among, memory, onlyLooks, stops, today } = shown
  if (onlyLooks !== undefined)
    return `The rules make no deposit until ${OperatorHold.command("bidhelm reconcile", among)} has read back what was done meanwhile: ${onlyLooks}`
  const from = depositsFrom(shown)
  const fromWhen = When.text(from, memory.zone)
  if (FirstDay.isWaiting(memory, today))
    return `The rules make no deposit before ${fromWhen}. Look at the campaigns' budgets; if nothing was deposited today that is not shown here: bidhelm account deposits ${memory.account} --allow`
  const isStopped = stops.holds.length > 0
  if (isStopped && stops.isAll)
    return `The rules make no deposit: ${allowedBy === undefined ? "" : `${allowedBy}'s word is kept, but `}all that would is stopped:`
  const counted = beside(shown)
  const room =
    counted !== undefined && "kopecks" in counted && counted.kopecks > 0
      ? "what those top-ups leave of their limits"
      : "their limits"
  const may = `the rules may make deposits, within ${room}`
  const but = isStopped ? "; but these are stopped:" : "."
  const since = from > today.nowMs ? `From ${fromWhen} on, when the list is whole,` : "From now on"
  if (allowedBy !== undefined) return `${since} ${may}: ${allowedBy}'s word${but}`
  return from > today.nowMs ? `${since} ${may}${but}` : `${may.replace("the", "The")}${but}`
}
