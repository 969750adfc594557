/** What the economics table says of the account's items: what is known, what is missing, and who earns least. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import type { ItemId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Window from "../../domain/Window.js"
import * as Cells from "../../engine/facts/Cell.js"
import * as Economics from "../../engine/facts/Economics.js"
import * as Evaluate from "../../engine/facts/Evaluate.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as FactType from "../../engine/facts/FactType.js"
import * as Print from "../../engine/facts/Print.js"
import * as Sources from "../../engine/facts/Sources.js"
import * as Table from "../../engine/facts/Table.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import { FactSource } from "../../engine/gather/FactSource.js"
import * as Gather from "../../engine/gather/Gather.js"
import * as OwnFacts from "../../engine/gather/OwnFacts.js"
import * as Load from "../../engine/language/Load.js"
import type { Expr, FactRef, Policy, RuleSet } from "../../engine/language/Policy.js"
import * as EconomicsColumns from "../../engine/language/shared/EconomicsColumns.js"
import * as EconomicsTable from "../../engine/language/shared/EconomicsTable.js"
import { clean } from "../../reporting/Clean.js"
import * as Wording from "../../reporting/Wording.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import * as Assortment from "./Assortment.js"

/** What each item earns, in the order of the columns shown. */
const earnings = ["margin", "profit", "price", "profit_per_order", "break_even_cpo"] as const
type Earned = Readonly<Record<(typeof earnings)[number], number | null>>

const mostItems = 10

export const show = (asked: Flags.Session & { readonly rules: Option.Option<string> }) =>
  Effect.gen(function* () {
    const { chosen, rules, within } = yield* Planning.open(
      asked,
      RuleFiles.answering("economics", asked.json)
    )
    const found = yield* within(
      Effect.gen(function* () {
        const { tokenKind } = yield* MarketplaceClient
        const items = yield* Assortment.read
        const { exprs, policy } = question()
        const gathered = yield* ProgressBar.shown(
          Gather.run(
            { ...rules, ownFacts: factsOf(rules), policies: [policy] },
            Planning.options(chosen, tokenKind)
          )
        )
        yield* Planning.tell(gathered)
        yield* Planning.sameCurrency(chosen, gathered.currency)
        yield* others(rules, policy, items, gathered)
        return {
          ...coverage(items, gathered.table("item"), exprs),
          namedTwice: namedTwice(items, rules, gathered.nowMs),
          unmatched: unmatched(items, rules)
        }
      })
    )
    const table = rules.ownFacts?.find(({ dated }) => dated !== undefined)?.data
    if (asked.json)
      return yield* Output.json("economics", {
        account: chosen.name,
        table: table === undefined ? null : table.path,
        unknownColumns: rules.unknownColumns ?? [],
        ...found,
        earnings: found.earnings.map(asJson)
      })
    yield* Output.text(textOf(found, rules, table?.path, Wording.sign(chosen.config.currency)).join("\n"))
    if (table === undefined || found.terms.some(({ missing }) => missing.length > 0))
      yield* Output.note(
        table === undefined
          ? "A table with every item, to fill in: bidhelm economics template --out rules/_shared/economics.xlsx"
          : `A table with every item, to fill in: bidhelm economics template --out economics-new.${/csv$/i.test(table.path) ? "csv" : "xlsx"}. It has what ${table.path} says today; put it in that one's place, for two tables are refused`
      )
  })

/** Facts of the table, where there is one and where there is none. */
const factsOf = (rules: RuleSet): NonNullable<RuleSet["ownFacts"]> =>
  (rules.ownFacts ?? []).filter(({ fact }) => Economics.isTerm(fact.id))

/** A policy that asks what every item earns, and would only tell. */
const question = (): { readonly policy: Policy; readonly exprs: ReadonlyArray<Expr> } => {
  const text = `version: 1
name: economics
mode: preview
schedule: {every: 1d, tz: Europe/Moscow}
each: item
when: ${earnings.map((word) => `${word === "price" ? "item.price" : word} is known`).join(" or ")}
do: {notify: looks}
`
  const { diagnostics, ruleSet } = Load.check([{ path: "economics.yaml", text }])
  const policy = ruleSet?.policies[0]
  const condition = policy?.rules[0]?.when[0]?.condition
  if (policy === undefined || condition?._tag !== "Or")
    throw new Error(`economics asks what cannot be asked: ${diagnostics[0]?.message}`)
  return { policy, exprs: condition.any.flatMap((one) => (one._tag === "IsKnown" ? [one.value] : [])) }
}

/** Items that are in no campaign: what the reports say of them. Nothing was spent on them. */
const others = (
  rules: RuleSet,
  policy: Policy,
  items: ReadonlyArray<Assortment.Item>,
  { nowMs, table }: Gather.Gathered
) =>
  Effect.gen(function* () {
    const rows = table("item")
    const all = items.map(({ itemId }) => ({ itemId }))
    const rest = all.filter((target) => rows.indexOf(target) === undefined)
    const tables = OwnFacts.tablesOf({ ...rules, ownFacts: factsOf(rules) }, () => true)
    for (const target of rest) rows.add(target)
    // Of the others the question has entered what it asks; all that the table says is shown.
    OwnFacts.enter(tables, rows, all, nowMs)
    for (const { itemId, vendorCode } of tables.needsVendorCodes ? items : [])
      OwnFacts.enterCoded(tables, rows, itemId, vendorCode || undefined, nowMs)
    const { fetch } = yield* FactSource
    for (const { facts, source, window } of reportsOf(policy)) {
      const { batch } = Sources.sources[source]
      const days = window === undefined ? {} : { days: Window.resolve(window, nowMs) }
      for (const keys of Arr.chunksOf(rest, batch)) {
        const answer = yield* fetch({ source, keys, ...days })
        const why = Cells.unknown(answer.failures.length > 0 ? "failed" : "absent")
        for (const key of keys) for (const fact of facts) rows.setFor(key, Table.factKey(fact), why)
        for (const { facts: told, target, values } of answer.rows)
          for (const fact of facts) {
            const at = told.indexOf(fact.id)
            if (at >= 0 && target !== "account")
              rows.setFor(target, Table.factKey(fact), Cells.ofGiven(values[at]!))
          }
      }
    }
  })

interface Report {
  readonly source: "itemStocks" | "itemFunnel"
  readonly window: Window.Window | undefined
  readonly facts: ReadonlyArray<FactRef>
}

/** The reports of items that the question reads, each with its facts. */
const reportsOf = (policy: Policy): ReadonlyArray<Report> => {
  const found = new Map<string, Report>()
  const seen = new Set<string>()
  for (const fact of FactRefs.ofPolicy(policy)) {
    const source = Vocabulary.byFactId(fact.id)?.source
    if ((source !== "itemStocks" && source !== "itemFunnel") || seen.has(Table.factKey(fact))) continue
    seen.add(Table.factKey(fact))
    const name = `${source} ${fact.window === undefined ? "" : Window.key(fact.window)}`
    const facts = [...(found.get(name)?.facts ?? []), fact]
    found.set(name, { source, window: fact.window, facts })
  }
  return [...found.values()]
}

interface Earning {
  readonly itemId: ItemId
  readonly name: string
  /** By word: kopecks, or a fraction; minus infinite where ads sold nothing, null where it is unknown. */
  readonly values: Earned
}

/** JSON has no infinite numbers, and null is what is unknown. */
const asJson = ({ values, ...item }: Earning) => ({
  ...item,
  values: Object.fromEntries(
    Object.entries(values).map(([word, value]) => [
      word,
      value === Number.NEGATIVE_INFINITY ? "-infinite" : value
    ])
  )
})

interface Coverage {
  readonly items: number
  readonly terms: ReadonlyArray<{
    readonly term: string
    readonly known: number
    readonly missing: ReadonlyArray<ItemId>
    readonly unreadable: ReadonlyArray<ItemId>
  }>
  /** Items whose margin is known, the thinnest first. */
  readonly earnings: ReadonlyArray<Earning>
  /** Items of which a row with their number and one with their code say different values. */
  readonly namedTwice: ReadonlyArray<ItemId>
  /** Numbers and codes of the table that no item of the account has: what holds for every item holds instead. */
  readonly unmatched: ReturnType<typeof EconomicsTable.unmatched>
}

/** Only the marketplace knows that the rows are about one item, so the table's own check cannot tell. */
const namedTwice = (
  items: ReadonlyArray<Assortment.Item>,
  rules: RuleSet,
  nowMs: number
): ReadonlyArray<ItemId> => {
  const day = Days.ofMarket(nowMs)
  const tables = factsOf(rules).flatMap(({ dated }) => dated ?? [])
  return items
    .filter(({ itemId, vendorCode }) =>
      tables.some((dated) => {
        const [byNumber, byCode] = [itemId, vendorCode].map((key) => EconomicsTable.ofKey(dated, key, day))
        return byNumber?._tag === "Known" && byCode?._tag === "Known" && byNumber.value !== byCode.value
      })
    )
    .map(({ itemId }) => itemId)
}

/** The terms of a table have their keys together. */
const unmatched = (items: ReadonlyArray<Assortment.Item>, rules: RuleSet): Coverage["unmatched"] => {
  const [dated] = factsOf(rules).flatMap(({ dated }) => dated ?? [])
  return dated === undefined ? [] : EconomicsTable.unmatched(dated, items)
}

const coverage = (
  items: ReadonlyArray<Assortment.Item>,
  rows: Table.Table,
  exprs: ReadonlyArray<Expr>
): Omit<Coverage, "namedTwice" | "unmatched"> => {
  const places = items.flatMap((item) => {
    const row = rows.indexOf({ itemId: item.itemId })
    return row === undefined ? [] : [{ ...item, row }]
  })
  const terms = Economics.terms.map(({ word }) => {
    const cells = places.map(({ itemId, row }) => ({ itemId, cell: rows.get(row, `item.${word}`) }))
    const unknown = cells.flatMap(({ cell, itemId }) =>
      cell._tag === "Unknown" ? [{ itemId, reason: cell.reason }] : []
    )
    const [unreadable, missing] = [true, false].map((isThere) =>
      unknown
        .filter(({ reason }) => /^(unreadable|stale)$/.test(reason) === isThere)
        .map(({ itemId }) => itemId)
    )
    return { term: word, known: cells.length - unknown.length, missing: missing!, unreadable: unreadable! }
  })
  const earned = places.map(({ itemId, name, row }): Earning => {
    const values = exprs.map((expr, at) => {
      const cell = Evaluate.value(expr, rows, row)
      return [earnings[at]!, cell._tag === "Known" ? Number(cell.value) : null] as const
    })
    return { itemId, name, values: Object.fromEntries(values) as Earned }
  })
  const known = earned.filter(({ values }) => values.margin !== null)
  return {
    items: items.length,
    terms,
    earnings: known.sort((a, b) => (a.values.margin ?? 0) - (b.values.margin ?? 0) || a.itemId - b.itemId)
  }
}

const textOf = (
  { earnings, items, namedTwice, terms, unmatched }: Coverage,
  rules: RuleSet,
  path: string | undefined,
  sign: string
): ReadonlyArray<string> => {
  const gaps = terms.filter(
    ({ missing, term, unreadable }) =>
      unreadable.length > 0 || (missing.length > 0 && !Economics.isOptional(`item.${term}`))
  )
  const unknown = rules.unknownColumns ?? []
  return [
    path === undefined
      ? "There is no economics table: rules/_shared/economics.csv or .xlsx. What items earn is unknown."
      : `${path}: the margin of ${earnings.length} of ${Plural.of(items, "item")} is known.`,
    ...(unknown.length === 0 ? [] : [`Columns that mean nothing here: ${unknown.map(clean).join(", ")}`]),
    ...(namedTwice.length === 0
      ? []
      : [
          `${Plural.of(namedTwice.length, "item")} in two rows with other values, by number and by vendor code; the number's row counts: ${some(namedTwice)}`
        ]),
    ...(unmatched.length === 0
      ? []
      : [
          `${Plural.of(unmatched.length, "number or code", "numbers or codes")} that no item of the account has; such rows count for nothing: ${some(unmatched.map(unmatchedText))}`
        ]),
    ...(path === undefined || gaps.length === 0 ? [] : ["", "What is missing", ...gapLines(gaps, items)]),
    ...(earnings.length === 0
      ? []
      : ["", "The thinnest margins", ...earnings.slice(0, mostItems).map((one) => earningLine(one, sign))])
  ]
}

/** Terms that lack the same items stand together, by the names of their columns. */
const gapLines = (gaps: Coverage["terms"], items: number): ReadonlyArray<string> =>
  Object.values(Arr.groupBy(gaps, ({ missing, unreadable }) => JSON.stringify([missing, unreadable]))).map(
    (group) => {
      const { missing, unreadable } = group[0]
      const named = (ids: ReadonlyArray<ItemId>, what: string) =>
        ids.length === 0
          ? []
          : ids.length === items
            ? [`${what} for every item`]
            : [`${what} for ${Plural.of(ids.length, "item")}: ${some(ids)}`]
      const parts = [...named(missing, "missing"), ...named(unreadable, "cannot be used")]
      return `  ${group.map(({ term }) => titleOf(term)).join("; ")}: ${parts.join("; ")}`
    }
  )

const mostNamed = 5

const unmatchedText = ({ alike, key }: Coverage["unmatched"][number]): string =>
  typeof key === "number"
    ? String(key)
    : `"${clean(key)}"${alike === undefined ? "" : ` (item ${alike} but for letters of another alphabet)`}`

const some = (ids: ReadonlyArray<ItemId | string>): string =>
  `${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? `, … (${ids.length - mostNamed} more)` : ""}`

const titleOf = (term: string): string =>
  EconomicsColumns.columns.find(({ meaning }) => meaning._tag === "Term" && meaning.word === term)?.title ??
  term

const earningLine = ({ itemId, name, values }: Earning, sign: string): string => {
  const shown = (word: keyof Earned, type: FactType.FactType) => {
    const value = values[word]
    return value === null ? "unknown" : Print.cell(Cells.known(value), type, sign)
  }
  const money = (word: keyof Earned) => shown(word, FactType.money)
  return clean(
    `  ${itemId}  margin ${shown("margin", FactType.ratio)}  earns ${money("profit")} of ${money("price")}; an order may cost ${money("break_even_cpo")}  ${name}`
  )
}
