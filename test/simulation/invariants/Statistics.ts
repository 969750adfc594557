/**
 * Invariant 9: while statistics cannot be read, are null or cannot be true, nothing that needs them is changed; 14: nor
 * is anything paused or started then.
 */
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Faults from "../../../src/sandbox/Faults.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import type { Cycle, Observed, Violation } from "../chaos/Record.js"
import * as Trouble from "../chaos/Trouble.js"
import * as Truth from "../Truth.js"
import * as Effects from "./Effects.js"
import * as MachineClock from "./MachineClock.js"

const isStatistics = (operation: string | undefined): boolean =>
  Trouble.statistics.some((one) => one === operation)

const figures = /\b(views|clicks|ctr|cr|orders|carts|spend|revenue|cpo|acos|cancelled)\b/
/** Both sides of a ratio of money are wrong alike. */
const money = /\b(spend|cpo|revenue)\b/

interface Wrong {
  readonly why: string
  /** True of a condition that nothing is known about. */
  readonly hides: (condition: string, entry: Ledger.Entry, value: string) => boolean
}

/** A default answers for what the marketplace says nothing of, so a condition with one needs no statistics. */
const absent = (condition: string): boolean => figures.test(condition) && !/\bdefault\b/.test(condition)

/**
 * A campaign that stood still is left out, whatever befalls the others; then a default of 0 is the truth. So it is of a day
 * that has begun by the machine's clock alone.
 */
const isTrulyNone = (observed: Observed, condition: string, { at, target }: Ledger.Entry): boolean => {
  const { world } = observed
  const campaign = World.campaign(world, target.campaignId ?? 0)
  if (!/\bspend default 0\b/.test(condition) || campaign === undefined) return false
  const isTomorrow = MachineClock.dayOf(observed, at) > Moscow.dayOf(at)
  return isTomorrow || Truth.spentToday(world, campaign, at) === 0 || isLittle(observed, at)
}

/** As docs/reliability.md has it: zeros of a day are doubted where 100 ₽ or more were charged, of all campaigns together. */
const isLittle = ({ world }: Observed, at: number): boolean =>
  Truth.campaigns(world).reduce((sum, one) => sum + Truth.spentToday(world, one, at), 0) < 10_000

/** What a campaign in both places was charged may all be of recommendations, so that nothing contradicts zeros of its clusters. */
const mayBeNone = ({ world }: Observed, { at, target }: Ledger.Entry): boolean => {
  const campaign = World.campaign(world, target.campaignId ?? 0)
  return (
    target.cluster !== undefined &&
    campaign !== undefined &&
    Timeline.at(campaign.placements, at).recommendations
  )
}

/** What was wrong with all statistics that a turn read; undefined when some of them were right. */
const wrong = (observed: Observed, cycle: Cycle): Wrong | undefined => {
  const reads = observed.requests
    .slice(cycle.requestsFrom, cycle.requestsPlanned)
    .filter((request) => request.cycle === cycle && isStatistics(request.operation))
  if (reads.length === 0) return undefined
  if (reads.every(({ status }) => status !== 200)) return { why: "without statistics", hides: absent }
  const lying = (kind: Faults.Kind) =>
    Trouble.statistics.every((operation) => struckBy(observed, cycle, operation)?.kind === kind)
  if (lying("zeros"))
    return {
      why: "on statistics that were all zero",
      hides: (one, entry) =>
        figures.test(one) && !isTrulyNone(observed, one, entry) && !mayBeNone(observed, entry)
    }
  if (lying("nulls")) return { why: "on statistics that were null", hides: absent }
  if (lying("embeddedRefusal")) return { why: "on refused statistics", hides: absent }
  // A hundred times nothing is nothing.
  if (lying("hundredfold"))
    return {
      why: "on money a hundred times too large",
      hides: (one, _, value) => money.test(one) && !/^0 ₽/.test(value)
    }
  return undefined
}

/** What befell every answer of an operation while a turn planned: of several windows at once the one that began last strikes. */
const struckBy = ({ events }: Observed, { plannedAt, startedAt }: Cycle, operation: string) => {
  const until = plannedAt ?? Number.POSITIVE_INFINITY
  for (const event of events.toReversed()) {
    if (event._tag !== "Faults" || event.untilMs < startedAt || event.at > until) continue
    const fault = event.list.find(
      (one) => one.kind !== "latency" && (one.operation ?? operation) === operation
    )
    if (fault === undefined) continue
    const isThroughout = event.at <= startedAt && until <= event.untilMs
    return isThroughout && (fault.probability ?? 1) === 1 && fault.share === undefined ? fault : undefined
  }
  return undefined
}

/** An overlay whose time is over is taken back without any statistics. */
const endsByTime = (change: Change): boolean =>
  Bids.endsOverlay(change) &&
  change.reason.some(({ condition, holds }) => condition.startsWith("during ") && holds === "false")

export const neverFromAbsence = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    if (cycle === undefined) return []
    const found = (why: string): ReadonlyArray<Violation> => [
      {
        invariant: entry.slot === "status" ? 14 : 9,
        at: entry.at,
        what: `${Effects.place(entry)} was changed ${why}`,
        entries: [entry.seq]
      }
    ]
    const changes = rows(effect).map(Effects.changeOf)
    if (changes.length > 0 && changes.every(endsByTime)) return []
    if (cycle.plan?.observeOnly !== undefined) return found("although the run was only to look")
    const trouble = wrong(observed, cycle)
    if (trouble === undefined) return []
    const reasons = changes.flatMap(({ reason }) => reason)
    return reasons.some(({ condition, value }) => trouble.hides(condition, entry, value))
      ? found(trouble.why)
      : []
  })
}
