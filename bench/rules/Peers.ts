/** The same rules for other people's engines. Each is loaded from this folder's own node_modules. */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { type Answers, add, empty } from "./Answers.js"
import { objects, type Row, type Rows } from "./Rows.js"
import type { Rule, Test } from "./Rules.js"

/** Compiled rules, ready to be asked over and over; `rows` are as many as this peer is given. */
export interface Ready {
  readonly rows: number
  readonly run: () => Promise<Answers> | Answers
  readonly close?: () => void
}

export interface Peer {
  readonly name: string
  /** Slower peers see the first rows only; their times are extrapolated, row by row. */
  readonly mostRows: number
  readonly prepare: (rows: Rows, rules: ReadonlyArray<Rule>) => Promise<Ready>
}

const folder = createRequire(new URL("../../bench/rules/package.json", import.meta.url))
const load = async (name: string) => {
  const path = folder.resolve(name)
  return await import(pathToFileURL(path).href)
}

const jsonLogic: Peer = {
  name: "json-logic-engine compiled",
  mostRows: 100_000,
  prepare: async (rows, rules) => {
    const { LogicEngine } = await load("json-logic-engine")
    const engine = new LogicEngine()
    const asked: ReadonlyArray<(row: Row) => unknown> = rules.map((rule) =>
      engine.build({ and: rule.tests.flatMap((test) => jsonLogicTest(test, rows.withUnknown)) })
    )
    return perRow(rows, jsonLogic.mostRows, null, (row) => asked.map((one) => one(row) === true))
  }
}

/** It compares nothing with what is no number: rules for rows with unknown facts have to ask first. */
const jsonLogicTest = (test: Test, withUnknown: boolean): ReadonlyArray<unknown> => {
  const of = (name: string) => ({ var: name })
  const known = (name: string) => (withUnknown ? [{ "!==": [of(name), name === "query" ? "" : null] }] : [])
  if ("is" in test) return [{ "===": [of(test.fact), test.is] }]
  if ("overMinimumPercent" in test) {
    const least = { "*": [of("min_bid"), test.overMinimumPercent / 100] }
    return [...known("bid"), ...known("min_bid"), { ">": [of("bid"), least] }]
  }
  if ("word" in test) {
    const has = { in: [test.word, of("query")] }
    return test.negated ? [...known("query"), { "!": has }] : [has]
  }
  return [...known(test.fact), { [test.op === "=" ? "===" : test.op]: [of(test.fact), test.value] }]
}

const cel: Peer = {
  name: "@marcbachmann/cel-js",
  mostRows: 10_000,
  prepare: async (rows, rules) => {
    const { Environment } = await load("@marcbachmann/cel-js")
    const numbers = ["views", "orders", "ctr", "cpo", "avg_pos", "spend", "bid", "min_bid"]
    const environment = new Environment()
    for (const name of numbers) environment.registerVariable(name, "double")
    for (const name of ["query", "status", "payment"]) environment.registerVariable(name, "string")
    const asked: ReadonlyArray<(row: Row) => unknown> = rules.map((rule) =>
      environment.parse(rule.tests.map((test) => written(test, double, celWord)).join(" && "))
    )
    return perRow(rows, cel.mostRows, Number.NaN, (row) => asked.map((one) => one(row) === true))
  }
}

const zen: Peer = {
  name: "@gorules/zen-engine",
  mostRows: 2_000,
  prepare: async (rows, rules) => {
    const { ZenEngine } = await load("@gorules/zen-engine")
    const expressions = rules.map((rule, index) => ({
      id: `e${index}`,
      key: `r${index}`,
      value: rule.tests.map((test) => `(${zenTest(test, rows.withUnknown)})`).join(" and ")
    }))
    const decision = new ZenEngine().createDecision({
      nodes: [
        { id: "in", type: "inputNode", name: "in", position: { x: 0, y: 0 } },
        { id: "e", type: "expressionNode", name: "e", position: { x: 1, y: 0 }, content: { expressions } },
        { id: "out", type: "outputNode", name: "out", position: { x: 2, y: 0 } }
      ],
      edges: [
        { id: "1", type: "edge", sourceId: "in", targetId: "e" },
        { id: "2", type: "edge", sourceId: "e", targetId: "out" }
      ]
    })
    return perRow(rows, zen.mostRows, null, async (row) => {
      const { result } = await decision.evaluate(row)
      return rules.map((_, index) => result[`r${index}`] === true)
    })
  }
}

/** A comparison with null is an error there, so unknown facts have to be asked for. */
const zenTest = (test: Test, withUnknown: boolean): string => {
  const facts = "overMinimumPercent" in test ? ["bid", "min_bid"] : "op" in test ? [test.fact] : []
  const guards = withUnknown ? facts.map((fact) => `${fact} != null`) : []
  return [...guards, written(test, String, zenWord)].join(" and ")
}

const jsonRules: Peer = {
  name: "json-rules-engine",
  mostRows: 500,
  prepare: async (rows, rules) => {
    const { Engine } = await load("json-rules-engine")
    const engine = new Engine([], { allowUndefinedFacts: true })
    // Its own check of a fact's kind is only for operators handed over as objects: asked here, or "" would lack every word.
    engine.addOperator("has", (text: unknown, word: string) => isText(text) && text.includes(word))
    engine.addOperator("lacks", (text: unknown, word: string) => isText(text) && !text.includes(word))
    for (const [index, rule] of rules.entries()) {
      engine.addRule({
        conditions: { all: rule.tests.flatMap(jsonRulesTest) },
        event: { type: "matched", params: { index } }
      })
    }
    engine.addFact("minimum_times", async (params: { percent: number }, almanac: Almanac) => {
      const least = await almanac.factValue("min_bid")
      return typeof least === "number" ? (least * params.percent) / 100 : undefined
    })
    return perRow(rows, jsonRules.mostRows, undefined, async (row) => {
      const { events } = await engine.run(row)
      const matched = new Set<number>(events.map((event: Matched) => event.params.index))
      return rules.map((_, index) => matched.has(index))
    })
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

interface Matched {
  readonly params: { readonly index: number }
}
interface Almanac {
  readonly factValue: (name: string) => Promise<unknown>
}

const jsonRulesTest = (test: Test): ReadonlyArray<unknown> => {
  if ("is" in test) return [{ fact: test.fact, operator: "equal", value: test.is }]
  if ("overMinimumPercent" in test) {
    const value = { fact: "minimum_times", params: { percent: test.overMinimumPercent } }
    return [{ fact: "bid", operator: "greaterThan", value }]
  }
  if ("word" in test) return [{ fact: "query", operator: test.negated ? "lacks" : "has", value: test.word }]
  return [{ fact: test.fact, operator: jsonRulesOperators[test.op], value: test.value }]
}

const jsonRulesOperators = {
  "<": "lessThan",
  ">": "greaterThan",
  ">=": "greaterThanInclusive",
  "=": "equal"
} as const

/** One thread, one scan: a filtered count and sum per rule. */
const duckdb: Peer = {
  name: "DuckDB, one scan",
  mostRows: 1_000_000,
  prepare: async (rows, rules) => {
    const { DuckDBInstance, DOUBLE, INTEGER, VARCHAR, DuckDBDataChunk } = await load("@duckdb/node-api")
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
    const connection = await instance.connect()
    const numbers = ["views", "orders", "ctr", "cpo", "avg_pos", "spend", "bid", "min_bid"] as const
    const columns = numbers.map((name) => `${name} DOUBLE`).join(", ")
    await connection.run(
      `CREATE TABLE facts (row INTEGER, ${columns}, query VARCHAR, status VARCHAR, payment VARCHAR)`
    )
    const types = [INTEGER, ...numbers.map(() => DOUBLE), VARCHAR, VARCHAR, VARCHAR]
    const appender = await connection.createAppender("facts")
    const size = Math.min(rows.size, duckdb.mostRows)
    const chunkRows = 2048
    for (let start = 0; start < size; start += chunkRows) {
      const at = Array.from({ length: Math.min(chunkRows, size - start) }, (_, i) => start + i)
      const chunk = DuckDBDataChunk.create(types)
      chunk.setColumns([
        at,
        ...numbers.map((name) => at.map((row) => orNull(rows.numbers[name][row]!))),
        at.map((row) => rows.texts[rows.query[row]!] ?? null),
        at.map((row) => (rows.active[row] === 1 ? "active" : "paused")),
        at.map((row) => (rows.cpm[row] === 1 ? "cpm" : "cpc"))
      ])
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
    const wanted = rules.map((rule) => {
      const where = rule.tests.map((test) => written(test, (n) => `${n}::DOUBLE`, sqlWord)).join(" AND ")
      const filter = where.replaceAll("==", "=").replaceAll('"', "'")
      return `count(*) FILTER (${filter}), coalesce(sum(row) FILTER (${filter}), 0)::DOUBLE`
    })
    const sql = `SELECT ${wanted.join(", ")} FROM facts`
    return {
      rows: size,
      run: async () => {
        const reader = await connection.runAndReadAll(sql)
        const answers = empty(rules.length)
        const row = reader.getRows()[0]
        for (let rule = 0; rule < rules.length; rule++) {
          answers.counts[rule] = Number(row[2 * rule])
          answers.sums[rule] = Number(row[2 * rule + 1])
        }
        return answers
      },
      close: () => connection.closeSync()
    }
  }
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

export const peers: ReadonlyArray<Peer> = [jsonLogic, duckdb, cel, zen, jsonRules]

const written = (
  test: Test,
  number: (value: number) => string,
  word: (word: string, negated: boolean) => string
): string => {
  if ("is" in test) return `${test.fact} == "${test.is}"`
  if ("overMinimumPercent" in test) return `bid > min_bid * ${number(test.overMinimumPercent / 100)}`
  if ("word" in test) return word(test.word, test.negated)
  return `${test.fact} ${test.op === "=" ? "==" : test.op} ${number(test.value)}`
}

const double = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))
const celWord = (word: string, negated: boolean): string =>
  negated ? `query != "" && !query.contains("${word}")` : `query.contains("${word}")`
const zenWord = (word: string, negated: boolean): string =>
  negated ? `query != "" and not(contains(query, "${word}"))` : `contains(query, "${word}")`
const sqlWord = (word: string, negated: boolean): string =>
  `${negated ? "NOT " : ""}contains(query, '${word}')`

const perRow = (
  rows: Rows,
  most: number,
  unknown: number | null | undefined,
  ask: (row: Row) => ReadonlyArray<boolean> | Promise<ReadonlyArray<boolean>>
): Ready => {
  const given = objects(rows, most, unknown)
  return {
    rows: given.length,
    run: async () => {
      let answers: Answers | undefined
      for (const [row, object] of given.entries()) {
        const asked = ask(object)
        const holds = asked instanceof Promise ? await asked : asked
        answers ??= empty(holds.length)
        for (let rule = 0; rule < holds.length; rule++) if (holds[rule]) add(answers, rule, row)
      }
      return answers ?? empty(0)
    }
  }
}
