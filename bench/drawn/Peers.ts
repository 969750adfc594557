/**
 * The drawn rules for other people's engines, with every fact known. What an engine cannot say itself (proofs, sums over
 * other rows, and for json-rules-engine all arithmetic) is handed to it answered, as one more column of its rows: that
 * is in its favour. They come from `bench/rules/node_modules`.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { Condition, Expr, Policy } from "../../src/engine/language/Policy.js"
import type { Columns } from "./Columns.js"
import type { Fingerprint } from "./Contender.js"

export type PeerName = keyof typeof peers

/** Rules ready to be asked over and over; slower engines see the first rows only. */
export interface Ready {
  readonly rows: number
  readonly run: () => Promise<Fingerprint> | Fingerprint
}

const home = new URL("../../bench/rules/package.json", import.meta.url)
export const areInstalled = existsSync(fileURLToPath(new URL("node_modules", home)))
const load = async (name: string) => await import(pathToFileURL(createRequire(home).resolve(name)).href)

/** Rows as an engine sees them: the facts that rules name, and what is handed over answered. */
class Rows {
  readonly columns = new Map<string, ReadonlyArray<number | string | boolean>>()
  private readonly all: Int32Array

  constructor(
    private readonly given: Columns,
    private readonly table: Table.Table,
    readonly size: number
  ) {
    this.all = Int32Array.from({ length: size }, (_, row) => row)
  }

  fact(expr: Extract<Expr, { readonly _tag: "Fact" }>): string {
    const key = Table.factKey(expr.fact)
    const { texts } = this.given.facts.get(key)!
    return this.column(key.replace(/\W/g, "_"), () => {
      if (texts === undefined) return Array.from(Evaluate.numbers(expr, this.table, this.all).values)
      const place = this.table.place(key)!
      return Array.from(this.all, (row) =>
        String(place.column.texts[place.column.values[this.table.up(row, place.steps)]!])
      )
    })
  }

  answered(asked: Expr | Condition): string {
    const name = `ready_${this.columns.size}`
    return this.column(name, () =>
      "type" in asked
        ? Array.from(Evaluate.numbers(asked, this.table, this.all).values)
        : Array.from(Evaluate.condition(asked, this.table, this.all).truth, (truth) => truth === 1)
    )
  }

  objects(): ReadonlyArray<Record<string, unknown>> {
    return Array.from({ length: this.size }, (_, row) =>
      Object.fromEntries([...this.columns].map(([name, values]) => [name, values[row]]))
    )
  }

  private column(name: string, make: () => ReadonlyArray<number | string | boolean>): string {
    if (!this.columns.has(name)) this.columns.set(name, make())
    return name
  }
}

const joined = ({ where }: Policy, rule: Policy["rules"][number]): Condition => ({
  _tag: "And",
  all: [...where, ...rule.when].map(({ condition }) => condition)
})

/** A row belongs to the first of its policy's rules that holds. */
const firsts = (policies: ReadonlyArray<Policy>): ReadonlyArray<ReadonlyArray<number>> => {
  let next = 0
  return policies.map(({ rules }) => rules.map(() => next++))
}

const perRow = (
  rows: Rows,
  policies: ReadonlyArray<Policy>,
  ask: (row: Record<string, unknown>) => ReadonlyArray<boolean> | Promise<ReadonlyArray<boolean>>
): Ready => {
  const objects = rows.objects()
  const order = firsts(policies)
  const rules = order.flat().length
  return {
    rows: rows.size,
    run: async () => {
      const print = {
        counts: new Array<number>(rules).fill(0),
        sums: new Array<number>(rules).fill(0),
        values: []
      }
      for (const [row, object] of objects.entries()) {
        const asked = ask(object)
        const holds = asked instanceof Promise ? await asked : asked
        for (const of of order) {
          const rule = of.find((one) => holds[one])
          if (rule === undefined) continue
          print.counts[rule]! += 1
          print.sums[rule]! += row
        }
      }
      return print
    }
  }
}

// json-logic-engine, compiled.

const logicOf = (expr: Expr, rows: Rows): unknown => {
  switch (expr._tag) {
    case "Literal":
      return expr.value
    case "Fact":
      return { var: rows.fact(expr) }
    case "Arithmetic":
      return { [expr.op]: [logicOf(expr.left, rows), logicOf(expr.right, rows)] }
    case "Extreme":
      return { [expr.pick]: expr.of.map((one) => logicOf(one, rows)) }
    case "Default":
      return logicOf(expr.value, rows)
    default:
      return { var: rows.answered(expr) }
  }
}

const logic = (condition: Condition, rows: Rows): unknown => {
  const value = (expr: Expr) => logicOf(expr, rows)
  switch (condition._tag) {
    case "Compare": {
      const op = { "=": "===", "!=": "!==" }[condition.op as string] ?? condition.op
      return { [op]: [value(condition.left), value(condition.right)] }
    }
    case "Between":
      return { "<=": [value(condition.low), value(condition.value), value(condition.high)] }
    case "In":
      return { in: [value(condition.value), condition.options.map(value)] }
    case "Contains":
      return { or: condition.words.map((word) => ({ in: [word, value(condition.value)] })) }
    case "IsKnown":
      return { "!==": [value(condition.value), null] }
    case "And":
      return { and: condition.all.map((one) => logic(one, rows)) }
    case "Or":
      return { or: condition.any.map((one) => logic(one, rows)) }
    case "Not":
      return { "!": logic(condition.condition, rows) }
    default:
      return { var: rows.answered(condition) }
  }
}

const jsonLogic = async (policies: ReadonlyArray<Policy>, rows: Rows): Promise<Ready> => {
  const { LogicEngine } = await load("json-logic-engine")
  const engine = new LogicEngine()
  const asked: ReadonlyArray<(row: unknown) => unknown> = policies.flatMap((policy) =>
    policy.rules.map((rule) => engine.build(logic(joined(policy, rule), rows)))
  )
  return perRow(rows, policies, (row) => asked.map((one) => one(row) === true))
}

// DuckDB, one thread: one scan with a filtered count and sum per rule.

const sqlOf = (expr: Expr, rows: Rows): string => {
  switch (expr._tag) {
    case "Literal":
      return typeof expr.value === "string" ? `'${expr.value}'` : `${Number(expr.value)}::DOUBLE`
    case "Fact":
      return rows.fact(expr)
    case "Arithmetic":
      return `(${sqlOf(expr.left, rows)} ${expr.op} ${sqlOf(expr.right, rows)})`
    case "Extreme":
      return `${expr.pick === "min" ? "least" : "greatest"}(${expr.of.map((one) => sqlOf(one, rows)).join(", ")})`
    case "Default":
      return sqlOf(expr.value, rows)
    default:
      return rows.answered(expr)
  }
}

const sql = (condition: Condition, rows: Rows): string => {
  const value = (expr: Expr) => sqlOf(expr, rows)
  switch (condition._tag) {
    case "Compare":
      return `(${value(condition.left)} ${condition.op} ${value(condition.right)})`
    case "Between":
      return `(${value(condition.value)} BETWEEN ${value(condition.low)} AND ${value(condition.high)})`
    case "In":
      return `(${value(condition.value)} IN (${condition.options.map(value).join(", ")}))`
    case "Contains":
      return `(${condition.words.map((word) => `contains(${value(condition.value)}, '${word}')`).join(" OR ")})`
    case "Matches":
      return `(${value(condition.value)} LIKE '${condition.pattern.replaceAll("*", "%").replaceAll("?", "_")}')`
    case "IsKnown":
      return `(${value(condition.value)} IS NOT NULL)`
    case "And":
      return `(${condition.all.map((one) => sql(one, rows)).join(" AND ")})`
    case "Or":
      return `(${condition.any.map((one) => sql(one, rows)).join(" OR ")})`
    case "Not":
      return `(NOT ${sql(condition.condition, rows)})`
    default:
      return rows.answered(condition)
  }
}

const duckdb = async (policies: ReadonlyArray<Policy>, rows: Rows): Promise<Ready> => {
  const { BOOLEAN, DOUBLE, DuckDBDataChunk, DuckDBInstance, INTEGER, VARCHAR } =
    await load("@duckdb/node-api")
  const filters = policies.flatMap((policy) =>
    policy.rules.map((rule, at) => {
      const before = policy.rules.slice(0, at).map((one) => `AND NOT ${sql(joined(policy, one), rows)}`)
      return [sql(joined(policy, rule), rows), ...before].join(" ")
    })
  )
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
  const connection = await instance.connect()
  const kinds = {
    number: ["DOUBLE", DOUBLE],
    string: ["VARCHAR", VARCHAR],
    boolean: ["BOOLEAN", BOOLEAN]
  } as const
  const columns = [...rows.columns].map(([name, values]) => {
    const [word, type] = kinds[typeof values[0] as keyof typeof kinds]
    return { name, values, word, type }
  })
  await connection.run(
    `CREATE TABLE facts (row INTEGER, ${columns.map(({ name, word }) => `${name} ${word}`).join(", ")})`
  )
  const appender = await connection.createAppender("facts")
  for (let start = 0; start < rows.size; start += 2048) {
    const end = Math.min(rows.size, start + 2048)
    const chunk = DuckDBDataChunk.create([INTEGER, ...columns.map(({ type }) => type)])
    chunk.setColumns([
      Array.from({ length: end - start }, (_, i) => start + i),
      ...columns.map(({ values }) => values.slice(start, end))
    ])
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
  const wanted = filters.map(
    (filter) => `count(*) FILTER (${filter}), coalesce(sum(row) FILTER (${filter}), 0)::DOUBLE`
  )
  const query = `SELECT ${wanted.join(", ")} FROM facts`
  return {
    rows: rows.size,
    run: async () => {
      const found = (await connection.runAndReadAll(query)).getRows()[0].map(Number)
      return {
        counts: filters.map((_, rule) => found[2 * rule]),
        sums: filters.map((_, rule) => found[2 * rule + 1]),
        values: []
      }
    }
  }
}

// json-rules-engine: it compares a fact with a value, so everything else is handed over answered.

const jsonRule = (condition: Condition, rows: Rows): unknown => {
  switch (condition._tag) {
    case "And":
      return { all: condition.all.map((one) => jsonRule(one, rows)) }
    case "Or":
      return { any: condition.any.map((one) => jsonRule(one, rows)) }
    case "Not":
      return { not: jsonRule(condition.condition, rows) }
    case "Compare":
      if (condition.left._tag === "Fact" && condition.right._tag === "Literal")
        return {
          fact: rows.fact(condition.left),
          operator: operators[condition.op],
          value: condition.right.value
        }
  }
  return { fact: rows.answered(condition), operator: "equal", value: true }
}

const operators = {
  "<": "lessThan",
  "<=": "lessThanInclusive",
  ">": "greaterThan",
  ">=": "greaterThanInclusive",
  "=": "equal",
  "!=": "notEqual"
} as const

const jsonRules = async (policies: ReadonlyArray<Policy>, rows: Rows): Promise<Ready> => {
  const { Engine } = await load("json-rules-engine")
  const engine = new Engine()
  const rules = policies.flatMap((policy) => policy.rules.map((rule) => joined(policy, rule)))
  for (const [index, rule] of rules.entries())
    engine.addRule({ conditions: jsonRule(rule, rows), event: { type: "holds", params: { index } } })
  return perRow(rows, policies, async (row) => {
    const { events } = await engine.run(row)
    const held = new Set<number>(
      events.map((one: { readonly params: { readonly index: number } }) => one.params.index)
    )
    return rules.map((_, index) => held.has(index))
  })
}

const peers = {
  "json-logic-engine compiled": { most: 100_000, prepare: jsonLogic },
  "DuckDB, one thread": { most: 1_000_000, prepare: duckdb },
  "json-rules-engine": { most: 500, prepare: jsonRules }
} as const

export const names = Object.keys(peers) as ReadonlyArray<PeerName>

/** `columns` and `table` hold the same rows. */
export const prepare = (
  name: PeerName,
  policies: ReadonlyArray<Policy>,
  columns: Columns,
  table: Table.Table
): Promise<Ready> =>
  peers[name].prepare(policies, new Rows(columns, table, Math.min(columns.size, peers[name].most)))

/** Rows that a peer is given at most. */
export const mostRows = (name: PeerName): number => peers[name].most
