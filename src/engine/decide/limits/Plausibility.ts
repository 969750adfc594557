/**
 * Whether the statistics of a run can be true at all. A marketplace that answers nothing but zeros, ten times too much,
 * or a spend it did not charge, is broken for a while; rules that believed it would pause, lower or raise everything.
 * Such a run is for looking only. Pure.
 */
import * as Hash from "effect/Hash"
import * as Days from "../../../domain/Days.js"
import * as Target from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Table } from "../../facts/Table.js"

/** What a run saw of one fact: rows that knew it, rows above zero, and the sum. */
export interface Figure {
  /** Fact with its window, as tables name it: `campaign.views@7d`. */
  readonly fact: string
  readonly rows: number
  readonly active: number
  readonly total: number
  /** Which rows knew it: equal for equal rows. Empty where that was not remembered. */
  readonly rowsHash: string
}

/** A figure of an earlier run: when it was seen, epoch milliseconds, and by which rules. */
export interface Seen extends Figure {
  readonly at: number
  readonly rules: string
}

/** The run at hand. */
export interface Run {
  readonly nowMs: number
  readonly rules: string
}

/** Spend by statistics and by the history of charges, of the same campaigns and days, kopecks. */
export interface Charged {
  readonly fact: string
  readonly statedKopecks: number
  readonly chargedKopecks: number
}

/** How far back earlier runs count, milliseconds. */
export const rememberedMs = 7 * 86_400_000

/** Views and spend of all rows of the three advertising levels. */
export const figures = (
  table: (each: "campaign" | "campaign_item" | "cluster") => Table
): ReadonlyArray<Figure> =>
  (["campaign", "campaign_item", "cluster"] as const)
    .flatMap((each) => ofTable(table(each)))
    .sort(TextOrder.by(({ fact }) => fact))

/** Everything that cannot be true, in words for people; nothing when all may be. `borneOut`: falls that `bearsOut` says are true. */
export const objections = (
  now: ReadonlyArray<Figure>,
  earlier: ReadonlyArray<Seen>,
  run: Run,
  {
    borneOut,
    charged
  }: { readonly borneOut?: ReadonlySet<string>; readonly charged?: Charged | undefined } = {}
): ReadonlyArray<string> => [
  ...now.flatMap((figure) =>
    borneOut?.has(figure.fact) === true ? [] : ofFigure(figure, earlier.filter(comparable(figure, run)))
  ),
  ...(charged === undefined ? [] : uncharged(charged))
]

/** A spend that fell beyond belief, with the views that fell with it. */
export interface Fall {
  readonly spend: Figure
  readonly views: ReadonlyArray<string>
}

/** Of these the charges of the same days are a witness: campaigns may have been paused, by a rule or a person. */
export const falls = (
  now: ReadonlyArray<Figure>,
  earlier: ReadonlyArray<Seen>,
  run: Run
): ReadonlyArray<Fall> => {
  const fallen = now.filter((figure) => {
    const seen = earlier.filter(comparable(figure, run))
    return ofFigure(figure, seen).length > 0 && figure.total < median(seen.map(({ total }) => total))
  })
  return fallen
    .filter(({ fact }) => fact.includes(".spend@"))
    .map((spend) => {
      const views = spend.fact.replace(".spend@", ".views@")
      return { spend, views: fallen.flatMap(({ fact }) => (fact === views ? [fact] : [])) }
    })
}

/** Whether as little was charged as a spend says. Of nothing at all nobody can tell: what was spent may be charged later. */
export const bearsOut = (spendKopecks: number, chargedKopecks: number): boolean =>
  spendKopecks >= leastOfToday && isNear(spendKopecks, chargedKopecks)

/**
 * Facts with something in a long window and nothing in a shorter one of days that are over, in words for people. Policies
 * ask for windows of rows of their own, so only rows that know both are counted.
 */
export const vanished = (
  table: (each: "campaign" | "campaign_item" | "cluster") => Table
): ReadonlyArray<string> =>
  (["campaign", "campaign_item", "cluster"] as const).flatMap((each) => {
    const rows = table(each)
    const facts = [...rows.columns.keys()].filter((key) => statistic.test(key)).sort()
    return facts.flatMap((short) => {
      const days = daysOf(short)
      if (days === undefined || days < 3) return []
      return facts
        .filter((long) => nameOf(long) === nameOf(short) && (daysOf(long) ?? 0) > days)
        .map((long) => ({ long, ...activeInBoth(rows, short, long) }))
        .filter((one) => one.inLong >= fewestRows && one.inShort * fewestShare <= one.inLong)
        .slice(0, 1)
        .map(
          ({ inLong, inShort, known, long }) =>
            `${short} is above zero in ${inShort}, ${long} in ${inLong} of the same ${known} rows`
        )
    })
  })

/** Of the rows that know both facts: how many, and in how many each is above zero. */
const activeInBoth = (rows: Table, short: string, long: string) => {
  const count = { known: 0, inShort: 0, inLong: 0 }
  const [shortOf, longOf] = [rows.numbers(short), rows.numbers(long)]
  for (let row = 0; row < rows.size; row++) {
    const inShort = shortOf(row)
    const inLong = longOf(row)
    if (inShort === undefined || inLong === undefined) continue
    count.known++
    if (inShort > 0) count.inShort++
    if (inLong > 0) count.inLong++
  }
  return count
}

/** One line for the plan: which figures, and what to do. */
export const notice = (objections: ReadonlyArray<string>): string =>
  `this run only looks, nothing of it can be applied but the end of overlays whose time is over: ${objections.slice(0, 3).join("; ")}` +
  `${objections.length > 3 ? `; and ${objections.length - 3} more` : ""}. Compare with the marketplace's own ` +
  "statistics; when they are right again, plan anew"

const fewestRows = 5
/** Of fewer a person may have stopped four fifths. */
const fewestActive = 10
/** At most one in so many is above zero: four fifths are not. */
const fewestShare = 5
const farFactor = 10
const chargedShare = 0.2
/** Below this much, sums are too small to be compared: kopecks, or views. */
const leastTotal = 100_000
const leastViews = 1000
/** What was charged today may be ahead of the statistics by this much, kopecks. */
const leastOfToday = 10_000
const fewestRuns = 3

const statistic = /\.(views|spend)@/

const ofTable = (table: Table): ReadonlyArray<Figure> => {
  const facts = [...table.columns.keys()].filter((key) => statistic.test(key))
  if (facts.length === 0) return []
  const hashes = new Int32Array(table.size)
  for (let row = 0; row < table.size; row++) hashes[row] = Hash.string(Target.key(table.target(row)))
  return facts.map((fact) => {
    let rows = 0
    let active = 0
    let total = 0
    let hash = 0
    const valueOf = table.numbers(fact)
    for (let row = 0; row < table.size; row++) {
      const value = valueOf(row)
      if (value === undefined) continue
      rows++
      total += value
      // A sum, so that the order in which rows came does not matter.
      hash = (hash + (hashes[row] ?? 0)) | 0
      if (value > 0) active++
    }
    return { fact, rows, active, total, rowsHash: `${hash}` }
  })
}

/**
 * Whether two figures are sums over the same rows: exactly so, whichever rules asked; or those of the same rules, of which
 * a few may have come and gone. Other sums say nothing of each other.
 */
export const isOfSameRows = (seen: Seen, now: Figure, rules: string): boolean =>
  (now.rowsHash !== "" && seen.rowsHash === now.rowsHash && seen.rows === now.rows) ||
  (seen.rules === rules && Math.abs(seen.rows - now.rows) <= now.rows * 0.2)

/** The same fact of the same rows, at about the same hour of an earlier day or earlier today. */
const comparable = (figure: Figure, { nowMs, rules }: Run) => {
  const isSameHour = figure.fact.endsWith("@today") ? hadAsLong(nowMs) : isAtHour(nowMs)
  return (seen: Seen): boolean => {
    const isRecent = seen.at < nowMs && nowMs - seen.at <= rememberedMs
    return seen.fact === figure.fact && isRecent && isSameHour(seen.at) && isOfSameRows(seen, figure, rules)
  }
}

const isAtHour =
  (nowMs: number) =>
  (thenMs: number): boolean => {
    const apart = (nowMs - thenMs) % Days.dayMs
    return Math.min(apart, Days.dayMs - apart) <= Days.hourMs
  }

/** Today's figures grow from the marketplace's midnight on: 55 minutes after it they are eleven times those of five. */
const hadAsLong = (nowMs: number) => {
  const now = nowMs - Days.startOfMarket(Days.ofMarket(nowMs))
  return (thenMs: number): boolean => {
    const then = (((thenMs - nowMs + now) % Days.dayMs) + Days.dayMs) % Days.dayMs
    return Math.abs(now - then) <= Math.min(Days.hourMs, then / 2, now / 2)
  }
}

const ofFigure = (now: Figure, earlier: ReadonlyArray<Seen>): ReadonlyArray<string> => {
  if (now.rows < fewestRows || earlier.length < fewestRuns) return []
  const usually = median(earlier.map(({ total }) => total))
  const least = now.fact.includes(".spend@") ? leastTotal : leastViews
  if (Math.max(usually, now.total) < least) return []
  const usuallyActive = median(earlier.map(({ active }) => active))
  if (usuallyActive >= fewestActive && now.active * fewestShare <= usuallyActive)
    return [`${now.fact} is above zero in ${now.active} rows, usually in ${usuallyActive}`]
  const isFar = now.total > usually * farFactor || now.total * farFactor < usually
  return usually > 0 && isFar
    ? [`${now.fact} is ${round(now.total)} in all, usually ${round(usually)} at this hour`]
    : []
}

const uncharged = ({ chargedKopecks, fact, statedKopecks }: Charged): ReadonlyArray<string> => {
  const most = Math.max(statedKopecks, chargedKopecks)
  return most < leastTotal || isNear(statedKopecks, chargedKopecks)
    ? []
    : [`${fact} is ${round(statedKopecks / 100)} in all, but ${round(chargedKopecks / 100)} was charged`]
}

const isNear = (statedKopecks: number, chargedKopecks: number): boolean =>
  Math.abs(statedKopecks - chargedKopecks) <= chargedShare * Math.max(statedKopecks, chargedKopecks)

/** Nothing was shown of any cluster, though their campaigns, shown in search alone, were charged so many kopecks. */
export const silence = ({ active, fact, rows }: Figure, chargedKopecks: number): ReadonlyArray<string> =>
  rows === 0 || active > 0 || chargedKopecks < leastTotal
    ? []
    : [
        `${fact} is zero in all ${rows} rows, but ${round(chargedKopecks / 100)} was charged to their campaigns`
      ]

/** Nothing was spent today by any campaign, though they were charged so many kopecks today. */
export const idleness = ({ active, fact, rows }: Figure, chargedKopecks: number): ReadonlyArray<string> =>
  rows === 0 || active > 0 || chargedKopecks < leastOfToday
    ? []
    : [`${fact} is zero in all ${rows} rows, but ${round(chargedKopecks / 100)} was charged today`]

const nameOf = (fact: string): string => fact.slice(0, fact.indexOf("@"))

/** Days of a window that is over; undefined for today and for windows that end earlier. */
const daysOf = (fact: string): number | undefined => {
  const match = /@(\d+)d$/.exec(fact)
  return match === null ? undefined : Number(match[1])
}

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

const round = (value: number): string => String(Math.round(value))
