/**
 * Invariant 3: deposits of a day stay within the account's limit and the campaign's, whatever became of them.
 * Invariant 4: an intended deposit is sent at most once, ever, and a turn asks once for each campaign. What the network repeats is not ours to prevent.
 */
import type { Observed, Request, Violation } from "../chaos/Record.js"
import * as Held from "./Held.js"
import * as MachineClock from "./MachineClock.js"

const deposits = (observed: Observed): ReadonlyArray<Request> =>
  observed.requests.filter(({ operation }) => operation === "depositCampaignBudget")

const roubles = ({ body }: Request): number => Number(JSON.parse(body).sum)
const campaign = ({ url }: Request): string => /[?&]id=(\d+)/.exec(url)?.[1] ?? ""

/**
 * Counted from what was sent and not certainly refused. What the marketplace took counts whatever the journal says, and
 * so does everything for ten minutes; after that the journal's word excuses what left no trace in the ledger.
 */
export const withinLimits = (observed: Observed): ReadonlyArray<Violation> => {
  const most = Math.max(
    ...observed.versions.map(({ limits }) => (limits.moneyPerDayKopecks ?? Number.POSITIVE_INFINITY) / 100)
  )
  const ofPolicies = observed.versions.flatMap(({ policies }) =>
    policies.map(({ limits }) => (limits.moneyPerDayKopecks ?? 0) / 100)
  )
  const counted = deposits(observed).filter(
    ({ isClear, status }) => !(isClear && status !== undefined && status >= 400)
  )
  return counted.flatMap((request, n) => {
    const before = counted
      .slice(0, n + 1)
      .filter((one) => MachineClock.dayOf(observed, one.at) === MachineClock.dayOf(observed, request.at))
      .filter(
        (one) => isPaid(one) || request.at - one.at < provableMs || !isDisproved(observed, one, request.at)
      )
    const total = before.reduce((sum, one) => sum + roubles(one), 0)
    const own = before
      .filter((one) => campaign(one) === campaign(request))
      .reduce((sum, one) => sum + roubles(one), 0)
    if (total <= most && own <= Math.max(...ofPolicies)) return []
    const what = `${own} ₽ to campaign ${campaign(request)}, ${total} ₽ to all on one day, allowed are ${most} ₽`
    return [{ invariant: 3, at: request.at, what, entries: request.entries }]
  })
}

/** The marketplace took it, though it may have come late. */
const isPaid = ({ entries, lateEntries = [] }: Request): boolean => entries.length + lateEntries.length > 0

/** Sooner nothing proves that a deposit was not paid, whatever the journal says. */
const provableMs = 10 * 60_000

/** The journal, by the machine's clock, had settled it as not paid before an instant. */
const isDisproved = (observed: Observed, request: Request, atMs: number): boolean => {
  const { rows } = observed
  const slot = `deposit:${campaign(request)}`
  const intent = request.claimed.find((row) => row.slot === slot && row.state === "dispatching")
  const row = rows.find((one) => one.slot === slot && one.runId === intent?.runId)
  return row?.state === "not_applied" && row.updatedAt < MachineClock.shown(observed, atMs)
}

/** By the requests alone: a plan tops a campaign up once, so a turn asks once. */
export const oncePerTurn = (observed: Observed): ReadonlyArray<Violation> => {
  const asked = new Map<Request["cycle"], Set<string>>()
  return deposits(observed).flatMap((request) => {
    const { cycle, entries } = request
    if (cycle === undefined || Held.of(observed).has(request)) return []
    const known = asked.get(cycle) ?? new Set<string>()
    asked.set(cycle, known)
    if (!known.has(campaign(request))) {
      known.add(campaign(request))
      return []
    }
    const what = `a turn asked twice for a deposit to campaign ${campaign(request)}`
    return [{ invariant: 4, at: request.at, what, entries }]
  })
}

/** Every request needs an intent of its own in the journal: a row of its campaign that was on its way when it left. */
export const atMostOnce = (observed: Observed): ReadonlyArray<Violation> => {
  const used = new Set<string>()
  return deposits(observed).flatMap((request) => {
    if (Held.of(observed).has(request)) return []
    const slot = `deposit:${campaign(request)}`
    const intent = request.claimed.find(
      (row) => row.slot === slot && row.state === "dispatching" && !used.has(`${row.runId} ${slot}`)
    )
    if (intent !== undefined) {
      used.add(`${intent.runId} ${slot}`)
      return []
    }
    const what = `a deposit to campaign ${campaign(request)} was sent without an intent of its own`
    return [{ invariant: 4, at: request.at, what, entries: request.entries }]
  })
}
