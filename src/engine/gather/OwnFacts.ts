/** Facts from tables of the seller's on their way into a run: each row gets its value, or the reason it has none. */
import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import type { ItemId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import type * as Target from "../../domain/Target.js"
import * as When from "../../domain/When.js"
import type { Notice } from "../decide/Plan.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import * as Economics from "../facts/Economics.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Level from "../facts/Level.js"
import * as Needs from "../facts/Needs.js"
import type { Table } from "../facts/Table.js"
import * as Texts from "../facts/Texts.js"
import type { Each, RuleSet } from "../language/Policy.js"
import * as EconomicsTable from "../language/shared/EconomicsTable.js"
import type { DatedTerm, Key, OwnFact } from "../language/shared/OwnFact.js"
import * as DaysAhead from "./DaysAhead.js"

/** Facts of the seller's tables that a run reads, and whether the marketplace is asked for the seller's codes of items. */
export interface Tables {
  readonly facts: ReadonlyArray<OwnFact>
  readonly needsVendorCodes: boolean
}

export const none: Tables = { facts: [], needsVendorCodes: false }

/** Those of a rule set that somebody reads; all where answers are kept whole. */
export const tablesOf = (
  { needsVendorCodes, ownFacts = [] }: Pick<RuleSet, "needsVendorCodes" | "ownFacts">,
  isRead: (id: string) => boolean
): Tables => {
  const facts = ownFacts.filter(({ fact }) => isRead(fact.id))
  return {
    facts,
    needsVendorCodes: needsVendorCodes === true && facts.some(({ dated }) => dated !== undefined)
  }
}

/** Enters the values of what has just become known: campaigns, items in them, clusters, items in promotions. */
export const enter = (
  { facts, needsVendorCodes }: Tables,
  table: Table,
  subjects: ReadonlyArray<Target.Subject>,
  nowMs: number
): void => {
  for (const [level, own] of byLevel(facts)) {
    const entries = own.map(({ fact }) => table.entry(fact.id))
    const look = looking(own, nowMs, (one) => (needsVendorCodes ? codeUnread : restOf(one, nowMs)))
    const ahead = aheadOf(own, nowMs)
    const code: DaysAhead.Code = needsVendorCodes
      ? { _tag: "Unread", as: codeUnread }
      : { _tag: "Read", code: undefined }
    for (const subject of subjects) {
      const found = ofLevel[level]?.(subject)
      if (found === undefined) continue
      table.give([{ target: found.target, values: look(found.key) }], entries)
      if (ahead !== undefined) DaysAhead.enter(ahead, table, subject, code)
    }
  }
}

/** Facts of items that say something else on later days; none of a table that is too old. */
const aheadOf = (own: ReadonlyArray<OwnFact>, nowMs: number): DaysAhead.Ahead | undefined =>
  own.some(({ dated }) => dated !== undefined && dated.lastFrom.size > 0)
    ? DaysAhead.of(
        own.filter((one) => !isStale(one, nowMs)),
        nowMs
      )
    : undefined

const byLevel = (facts: Tables["facts"]): ReadonlyMap<Each, ReadonlyArray<OwnFact>> =>
  Groups.by(facts, ({ fact }) => fact.level)

/** What nobody knows before the code is read counts as not read, never as not said: a floor may stand there. */
const codeUnread = Cells.unknown("failed")

/** Enters what the tables say of an item under the seller's code of it; undefined where it has none. */
export const enterCoded = (
  { facts }: Tables,
  table: Table,
  itemId: ItemId,
  code: string | undefined,
  nowMs: number
): void => {
  for (const own of facts) {
    if (own.dated === undefined || valueOf(own, itemId, nowMs) !== undefined) continue
    const coded =
      code === undefined
        ? undefined
        : (valueOf(own, code, nowMs) ?? EconomicsTable.ofLookAlike(own.dated, code))
    const value = coded ?? restOf(own, nowMs)
    table.setFor({ itemId }, own.fact.id, value)
  }
  const ahead = aheadOf(facts, nowMs)
  if (ahead === undefined) return
  const rows = table.view("promotion_item")
  for (const row of rows.rowsUnder({ itemId }))
    DaysAhead.enter(ahead, table, rows.target(row), { _tag: "Read", code })
}

/** What of a subject a fact of a level is about, and what the table calls it; undefined where that is another one. */
const ofLevel: Partial<
  Record<
    Each,
    (subject: Target.Subject) => { readonly target: Target.Subject; readonly key: Key } | undefined
  >
> = {
  campaign: ({ campaignId, itemId }) =>
    campaignId === undefined || itemId !== undefined
      ? undefined
      : { target: { campaignId }, key: campaignId },
  item: ({ cluster, itemId }) =>
    itemId === undefined || cluster !== undefined ? undefined : { target: { itemId }, key: itemId },
  cluster: (target) =>
    target.cluster === undefined ? undefined : { target, key: Texts.label(target.cluster) }
}

/** As `valueOf` of each of the facts, or the rest's value; those of one table find a key together. */
const looking = (all: ReadonlyArray<OwnFact>, nowMs: number, restFor: (own: OwnFact) => Cell) => {
  const today = Days.ofMarket(nowMs)
  const facts = all.map((own) => ({
    own,
    dated: own.data === undefined || isStale(own, nowMs) ? undefined : own.dated,
    rest: restFor(own)
  }))
  return (key: Key): ReadonlyArray<Cells.Given> => {
    let numbers: DatedTerm["numbers"] | undefined
    let number: number | undefined
    return facts.map(({ dated, own, rest }) => {
      if (dated === undefined) return Cells.given(valueOf(own, key, nowMs) ?? rest)
      if (dated.numbers !== numbers) {
        numbers = dated.numbers
        number = numbers.get(key)
      }
      const said = number === undefined ? undefined : EconomicsTable.on(dated.said[number], today)
      return Cells.given(said ?? rest)
    })
  }
}

/** What the table says of the key itself; undefined where it says nothing. */
const valueOf = (own: OwnFact, key: Key, nowMs: number): Cell | undefined => {
  const { data, dated, values } = own
  if (data === undefined) return own.rest
  if (isStale(own, nowMs)) return Cells.unknown("stale")
  return dated === undefined
    ? (values.get(key) ?? own.rest)
    : EconomicsTable.ofKey(dated, key, Days.ofMarket(nowMs))
}

/** What holds of every item that the table does not name, or nothing. */
const restOf = ({ dated, rest }: OwnFact, nowMs: number): Cell =>
  (dated && EconomicsTable.ofKey(dated, EconomicsTable.everyItem, Days.ofMarket(nowMs))) ?? rest

const isStale = ({ data, maxAgeMs }: Pick<OwnFact, "data" | "maxAgeMs">, nowMs: number): boolean =>
  maxAgeMs !== undefined && data !== undefined && nowMs - data.modifiedMs > maxAgeMs

/** S05: one notice per policy and fact whose value some of the account's rows lack. */
export const notices = (
  { needsVendorCodes, ownFacts = [], policies }: RuleSet,
  table: (each: Each) => Table,
  nowMs: number
): ReadonlyArray<Notice> => {
  if (ownFacts.length === 0) return []
  return policies.flatMap((policy) => {
    if (policy.mode === "disabled") return []
    const read = new Set(FactRefs.ofPolicy(policy).map(({ id }) => id))
    return ownFacts
      .filter(({ fact }) => read.has(fact.id) && !Economics.isOptional(fact.id))
      .flatMap((own) => {
        const isCoded = needsVendorCodes === true && own.dated !== undefined
        const text = coverage(own, table(own.fact.level), nowMs, isCoded)
        return text === undefined ? [] : [{ policy: policy.id, campaignName: "", text }]
      })
  })
}

/** Of a table that is kept by codes, rows whose code nobody needed to know are left out: what it says of them was not asked. */
const coverage = (own: OwnFact, rows: Table, nowMs: number, isCoded: boolean): string | undefined => {
  const { data, fact } = own
  const noun = Level.several[fact.level]
  if (data !== undefined && isStale(own, nowMs)) {
    const age = When.length(nowMs - data.modifiedMs)
    return `S05 ${fact.word}: ${data.path} is ${age} old, longer than max_age; all ${grouped(rows.size)} ${noun} are skipped`
  }
  const known = rows.columns.get(fact.id)?.knownCount ?? 0
  const all = rows.size - (isCoded ? unaskedOf(own, rows) : 0)
  const rest = all - known
  if (rest === 0) return undefined
  const are = Plural.choose(rest, "is", "are")
  return `S05 ${fact.word} is known for ${grouped(known)} of ${grouped(all)} ${noun}; ${grouped(rest)} ${are} skipped`
}

const unaskedOf = ({ fact }: OwnFact, rows: Table): number => {
  const [cell, code] = [rows.cells(fact.id), rows.cells(Needs.vendorCode)]
  return rows.rowsUnder({}).filter((row) => cell(row) === codeUnread && isUnasked(code(row))).length
}

const isUnasked = (code: Cell): boolean => code._tag === "Unknown" && code.reason === "notFetched"

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")
