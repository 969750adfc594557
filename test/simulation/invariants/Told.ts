/**
 * Invariants 9 and 14 of what statistics left out, row by row: nothing is changed by a figure that no answer of the turn
 * had. Judged by the answers as they reached the program.
 */
import * as Inverse from "../../../src/engine/decide/Inverse.js"
import type { Policy } from "../../../src/engine/language/Policy.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import type { Cycle, Observed, Request, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

type Level = "campaign" | "campaign_item" | "cluster"
type Target = Ledger.Entry["target"]

/** Fields of the answers that a word needs, of campaigns and items, and of clusters. */
const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  views: ["views"],
  clicks: ["clicks"],
  orders: ["orders"],
  carts: ["atbs"],
  spend: ["sum|spend"],
  ctr: ["views", "clicks"],
  cr: ["clicks", "orders"],
  cpc: ["sum|spend", "clicks"],
  cpm: ["sum|spend", "views"],
  cpo: ["sum|spend", "orders"],
  acos: ["sum|spend", "sum_price"]
}
const words = new RegExp(
  `(?:\\b(campaign|item|cluster|recommended)\\.)?\\b(${Object.keys(fieldsOf).join("|")})\\b`,
  "g"
)

export const byFiguresThatCame = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    if (cycle === undefined || cycle.kind === "undo" || cycle.kind === "approve") return []
    return rows(effect).flatMap((row): ReadonlyArray<Violation> => {
      const change = Effects.changeOf(row)
      const policy = cycle.rules.policies.find(({ id }) => id === row.policy)
      if (policy === undefined || Inverse.takesBack(change)) return []
      const missing = change.reason
        .filter(
          ({ condition, holds }) => holds === "true" && !/\bdefault\b|\b(all|any|sum)\(/.test(condition)
        )
        .flatMap(({ condition }) => missed(observed, cycle, policy, change.subject, condition))
      const what = `${Effects.place(entry)} was changed by ${row.policy}, and no answer had ${missing[0]}`
      return missing.length === 0
        ? []
        : [{ invariant: entry.slot === "status" ? 14 : 9, at: entry.at, what, entries: [entry.seq] }]
    })
  })
}

/** The figures of a condition that no answer of the turn about the row had; none where it asked for none of them. */
const missed = (
  observed: Observed,
  cycle: Cycle,
  policy: Policy,
  target: Target,
  condition: string
): ReadonlyArray<string> =>
  [...condition.replaceAll(notFigures, "").matchAll(words)].flatMap(([, of, word = ""]) => {
    const level = of === undefined ? policy.each : of
    if (level !== "campaign" && level !== "campaign_item" && level !== "cluster") return []
    const records = answersOf(observed, cycle, level, target)
    if (records === undefined) return []
    const isThere = (fieldsOf[word] ?? []).every((names) =>
      records.some((record) => names.split("|").some((name) => typeof record[name] === "number"))
    )
    return isThere ? [] : [`${word} of the ${level.replace("_", " ")}`]
  })

/** Texts, and kinds of payment, which have names of figures. */
const notFigures = /"[^"]*"|\bcampaign\.payment\b[^"]*?(?= and | or |$)/g

type Json = Readonly<Record<string, unknown>>

/** Records of a row in the answers that a turn planned by; undefined where none of them was asked about it. */
const answersOf = (
  { requests }: Observed,
  cycle: Cycle,
  level: Level,
  target: Target
): ReadonlyArray<Json> | undefined => {
  const operation = level === "cluster" ? "getClusterStats" : "getCampaignStats"
  const asked = requests
    .slice(cycle.requestsFrom, cycle.requestsPlanned)
    .filter((one) => one.cycle === cycle && one.operation === operation && one.answer !== undefined)
    .filter((one) =>
      namesAll(one, level === "cluster" ? [target.campaignId, target.itemId] : [target.campaignId])
    )
  return asked.length === 0
    ? undefined
    : asked.flatMap(({ answer }) => recordsOf(level, target, parsed(answer)))
}

const namesAll = ({ body, url }: Request, ids: ReadonlyArray<number | undefined>): boolean => {
  const named = new Set(`${url} ${body}`.match(/\d+/g))
  return ids.every((id) => named.has(`${id}`))
}

const parsed = (answer: string | undefined): unknown => {
  try {
    return JSON.parse(answer ?? "")
  } catch {
    return undefined
  }
}

const recordsOf = (
  level: Level,
  { campaignId, cluster, itemId }: Target,
  body: unknown
): ReadonlyArray<Json> => {
  if (level === "cluster")
    return list(field(body, "stats"))
      .filter((pair) => pair.advert_id === campaignId && pair.nm_id === itemId)
      .flatMap((pair) => list(pair.stats))
      .filter((one) => one.norm_query === cluster)
  const campaigns = list(body).filter((one) => one.advertId === campaignId)
  if (level === "campaign") return campaigns
  return campaigns
    .flatMap((one) => list(one.days))
    .flatMap((day) => list(day.apps))
    .flatMap((app) => list(app.nms))
    .filter((one) => one.nmId === itemId)
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null
const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isRecord) : [])
const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)
