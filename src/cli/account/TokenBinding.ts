/**
 * An account belongs to the seller whose token was the first under its name. A token of another seller, or a second
 * account of one seller, ends every command that would ask or send before it does. Also what an account must have done
 * with before it may get another name or seller.
 */
import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import { type Creation, CreationLog } from "../../engine/door/CreationLog.js"
import { Journal, type JournalRow } from "../../engine/door/Journal.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import type { HumanEdit } from "../../engine/kinds/HumanEdit.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import type { SlotHistory } from "../../engine/kinds/SlotHistory.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import { type Binding, TokenMemory, type TokenMemoryFailure } from "../../services/ports/TokenMemory.js"
import * as Token from "../../services/Token.js"
import * as FileHints from "../../store/clients/FileHints.js"
import type * as Config from "../config/Config.js"
import { stop } from "../terminal/Stop.js"

/** Binds an account that has no seller yet; ends the command when the token is somebody else's. */
export const check = (account: Config.Account, token: Token.Token) =>
  Effect.gen(function* () {
    const memory = yield* TokenMemory
    if (token.seller === undefined) {
      const own = (yield* memory.bindings).find((one) => one.account === account.name)
      return own === undefined ? undefined : yield* refused(untold(account, own))
    }
    const at = yield* Clock.currentTimeMillis
    const bound = yield* memory.bind({ account: account.name, seller: token.seller, at, by: "first use" })
    if (bound._tag === "Other") return yield* refused(other(account, token.seller, bound.binding))
    if (bound._tag === "Taken") return yield* refused(taken(account, token.seller, bound.binding))
  }).pipe(Effect.catchTag("TokenMemoryFailure", (failure) => Effect.fail(storeFailure(failure))))

/** As the commands know it. */
const storeFailure = ({ action, cause, hint }: TokenMemoryFailure): StoreFailure =>
  new StoreFailure({ action, hint, cause })

/** What is wrong, and how it is mended. */
export interface Objection {
  readonly says: string
  readonly todo: string
}

/** What speaks against a token by what is bound now; undefined when nothing does. */
export const objection = (
  account: Config.Account,
  { seller }: Pick<Token.Token, "seller">,
  bindings: ReadonlyArray<Binding>
): Objection | undefined => {
  const own = bindings.find((one) => one.account === account.name)
  if (own !== undefined) {
    if (seller === undefined) return untold(account, own)
    return own.seller === seller ? undefined : other(account, seller, own)
  }
  const found = seller === undefined ? undefined : bindings.find((one) => one.seller === seller)
  return found === undefined || seller === undefined ? undefined : taken(account, seller, found)
}

const other = (
  { name, token }: Config.Account,
  seller: string,
  { at, seller: before }: Binding
): Objection => ({
  says: `account ${name} belongs to the seller ${before} since ${day(at)}, but the token ${Token.sourceOf(token)} is of the seller ${seller}`,
  todo: `put the right token there; if ${name} is meant for the other seller from now on: bidhelm account rebind ${name}`
})

const untold = ({ name, token }: Config.Account, { at, seller }: Binding): Objection => ({
  says: `account ${name} belongs to the seller ${seller} since ${day(at)}, but the token ${Token.sourceOf(token)} does not tell whose it is`,
  todo: `put a token of that seller there; if this one is right: bidhelm account rebind ${name}`
})

const taken = ({ name, token }: Config.Account, seller: string, { account, at }: Binding): Objection => ({
  says: `the token ${Token.sourceOf(token)} is of the seller ${seller}, who is the account ${account} since ${day(at)}; two accounts of one seller would use up its call limits twice`,
  todo: `use the account ${account}, or give ${name} the token of another seller; if ${account} is called ${name} now: bidhelm account rebind ${name}`
})

const refused = ({ says, todo }: Objection) =>
  Effect.fail(stop(1, `${says}. Nothing was asked or sent; ${todo}`))

/** `2026-09-01`. */
const day = (ms: number): string => Days.at(ms, "UTC")

/** What another seller's token could not read back any more, a line each; none when nothing is open. */
export const open = (account: string, accounts: number) =>
  Effect.gen(function* () {
    const rows = yield* (yield* Journal).open(account)
    const creations = yield* (yield* CreationLog).open(account)
    const among = { account, accounts }
    return [...openChanges(among, rows), ...creations.map((one) => openCreation(among, one))]
  })

/** Of a configuration: how amounts and instants are shown, and how many accounts it has. */
interface Named extends Pick<Config.Config, "currency" | "timeZone"> {
  readonly accounts: { readonly length: number }
}

/**
 * What is known under an account's name only and would be forgotten with the name, a line each, with what ends it: what
 * is open or parked, deposits that still count, overlays that still stand. By the store alone; none when nothing is left.
 * Call it while holding the account's apply lock. A person may leave overlays behind: those of a campaign, item or
 * cluster that is gone never end.
 */
export const unfinished = (
  account: string,
  { accounts, currency, timeZone: zone }: Named,
  leaving?: "leaves overlays"
) =>
  Effect.gen(function* () {
    const Deposits = yield* Effect.promise(() => import("../../engine/decide/limits/Deposits.js"))
    const Print = yield* Effect.promise(() => import("../../engine/facts/Print.js"))
    const sign = Print.currencySign(currency)
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const parked = (yield* journal.overdue(account, nowMs)).filter(({ state }) => state === "parked")
    const since = Math.min(DateTime.toEpochMillis(dayOf(nowMs, zone)), nowMs - Deposits.settlingMs)
    const deposits = yield* journal.deposits(account, since)
    const money = (kopecks: number) => Print.money(kopecks, sign)
    const overlays = leaving === undefined ? yield* standingOverlays(account) : []
    return [
      ...(yield* open(account, accounts.length)),
      ...parked.map(({ change, runId }) => {
        const sum = money(Deposits.amount(change))
        return `${account}: a deposit of ${sum} to campaign ${change.subject.campaignId} may or may not have been paid; compare the campaign's budget with its top-ups, then: ${Deposit.resolveWith(runId, change)}`
      }),
      ...madeLately(account, deposits, zone, Deposits.settlingMs, money),
      ...overlays.map(([policy, histories]) =>
        overlayText({ account, accounts: accounts.length }, policy, histories, money)
      )
    ]
  })

const openChanges = (
  among: OperatorHold.Among,
  { length }: ReadonlyArray<JournalRow>
): ReadonlyArray<string> =>
  length === 0
    ? []
    : [
        `${among.account}: ${Plural.of(length, "change")} whose outcome is open; read back by: ${OperatorHold.command("bidhelm apply", among)}`
      ]

const openCreation = (among: OperatorHold.Among, { id, marker, operation }: Creation): string =>
  `${among.account}: ${operation} "${marker}" may or may not have created something; looked for by: ${OperatorHold.command("bidhelm apply", among)}; if nothing is found, ${CreationReasons.resolveWith(id)}`

/** Deposits that limits still count, or that the balance may not show yet; and when neither is so any more. */
const madeLately = (
  account: string,
  deposits: ReadonlyArray<Deposit.Deposited>,
  zone: string,
  settlingMs: number,
  money: (kopecks: number) => string
): ReadonlyArray<string> => {
  if (deposits.length === 0) return []
  const over = deposits.map(({ at }) =>
    Math.max(
      DateTime.toEpochMillis(DateTime.add(dayOf(at, zone), { days: 1 })),
      Math.ceil((at + settlingMs + 1) / Days.minuteMs) * Days.minuteMs
    )
  )
  const sum = money(deposits.reduce((all, { kopecks }) => all + kopecks, 0))
  return [
    `${account}: ${sum} deposited today or a moment ago, which no limit would count any more; wait until ${When.text(Math.max(...over), zone)}`
  ]
}

/** The beginning of the business day. */
const dayOf = (ms: number, zone: string) =>
  DateTime.startOf(DateTime.unsafeMakeZoned(ms, { timeZone: zone }), "day")

/** How many bids stand under an overlay. */
export const underOverlays = (account: string) =>
  Effect.map(standingOverlays(account), (all) => all.reduce((sum, [, { length }]) => sum + length, 0))

/** Most bids that a reason names. */
const mostNamed = 5

const overlayText = (
  among: OperatorHold.Among,
  policy: string,
  histories: ReadonlyArray<SlotHistory>,
  money: (kopecks: number) => string
): string => {
  const bids = histories.slice(0, mostNamed).flatMap(({ overlay, slot }) => {
    if (overlay === undefined) return []
    const place = slot.slice(slot.indexOf(":") + 1)
    return [`${place} at ${money(overlay.afterKopecks)}, base ${money(overlay.baseKopecks)}`]
  })
  const more = histories.length > mostNamed ? `; and ${histories.length - mostNamed} more` : ""
  const count = `${Plural.of(histories.length, "bid")} ${Plural.choose(histories.length, "stands", "stand")}`
  return `${among.account}: ${count} under the overlay of ${policy}, and would be taken for the base (${bids.join("; ")}${more}); let the overlay end: run ${OperatorHold.command("bidhelm apply", among)} while its during: is not on, whatever its schedule: says (with its file back and in mode apply, and during: shortened if it is always on); or set the bids by hand and run: ${OperatorHold.command("bidhelm plan", among)}. Where campaign, item or cluster is gone nothing can end it: add --leave-overlays`
}

/** Bids that stand under each policy's overlay, but those that somebody else has set since. */
const standingOverlays = (account: string) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const HumanEdits = yield* Effect.promise(() => import("../../engine/decide/limits/HumanEdits.js"))
    const Overlays = yield* Effect.promise(() => import("../../engine/decide/intents/Overlays.js"))
    const Standing = yield* Effect.promise(() => import("../../engine/decide/intents/Standing.js"))
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const slots = yield* memory.slots(account, nowMs)
    const edits = HumanEdits.standing(slots, (yield* journal.stops(account)).edits)
    return [...Overlays.byPolicy(slots)]
      .map(([policy, histories]) => {
        const left = histories
          .filter((history) => Standing.of(history, liveBid(history, edits)) !== undefined)
          .sort(TextOrder.by(({ slot }) => slot))
        return [policy, left] as const
      })
      .filter(([, left]) => left.length > 0)
      .sort(TextOrder.byKey)
  })

/** As far as the store knows it. */
const liveBid = ({ overlay, slot }: SlotHistory, edits: ReadonlyMap<string, HumanEdit>): number =>
  Number(edits.get(slot)?.live ?? overlay?.afterKopecks)

// A token file that cannot be read: which one, which line of the configuration names it, and how to put it there.

/** The problem in words that mend it; one that is not of the file itself stays as it is. */
export const explained = (
  { name, token, tokenAt }: Config.Account,
  problem: Token.TokenProblem
): Token.TokenProblem => {
  if (token._tag !== "File" || (problem.reason !== "unreadable" && problem.reason !== "exposed"))
    return problem
  const { path } = token
  const found = look(path)
  const named = tokenAt === undefined ? "the configuration" : tokenAt
  const says = (message: string) => new Token.TokenProblem({ reason: "unreadable", message })
  const put = `put the token of account ${name} there as one line and run chmod 600 ${path}`
  if (found === "nothing")
    return says(`There is no token file ${path}, which ${named} names: ${put}, or mend the path.`)
  if (found === "folder")
    return says(`${path}, which ${named} names as the token file, is a folder: name a file in it.`)
  if (found === "irregular")
    return says(
      `${path}, which ${named} names as the token file, is no regular file: ${put}, or mend the path.`
    )
  return problem.reason === "exposed"
    ? problem
    : says(
        `The token file ${path}, which ${named} names, cannot be read by this user: make it the file's owner and run chmod 600 ${path}, or mend the path.`
      )
}

const look = (path: string): "nothing" | "folder" | "irregular" | "file" => {
  try {
    const found = statSync(path)
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : "irregular"
  } catch (error) {
    const code = FileHints.codeOf(error)
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "file"
  }
}
