/**
 * The yardstick: a plain code generator. From checked policies it writes the JavaScript that a careful programmer would
 * write for just these rules over these columns, in blocks of rows: matched rows of each rule, and the values of its
 * action beside them. Every fact is taken as known. It writes each policy in two ways, and the faster one counts: one
 * loop whose tests end at the first that fails, and a list of open rows that every test narrows without a branch.
 */
import * as Confidence from "../../src/engine/facts/Confidence.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Texts from "../../src/engine/facts/Texts.js"
import type { Condition, Expr, Policy } from "../../src/engine/language/Policy.js"
import * as ActionValues from "./ActionValues.js"
import type { Column, Columns } from "./Columns.js"

export type Way = "tests end early" | "lists narrowed"
export const ways: ReadonlyArray<Way> = ["tests end early", "lists narrowed"]

/** Of each rule, in the order of policies and rules: rows ascending, and a list of values for each of its expressions. */
export interface Found {
  readonly rows: Int32Array
  readonly values: ReadonlyArray<Float64Array>
}

const block = 2048

export const compile = (
  policies: ReadonlyArray<Policy>,
  columns: Columns,
  way: Way
): (() => ReadonlyArray<Found>) => {
  const writer = new Writer(columns)
  const rules = policies.flatMap((policy) => policy.rules)
  const bodies = policies.map((policy, at) => {
    const first = policies.slice(0, at).reduce((sum, one) => sum + one.rules.length, 0)
    return way === "tests end early" ? writer.ended(policy, first) : writer.narrowed(policy, first)
  })
  const outs = rules.map(({ action }, rule) => writer.out(rule, ActionValues.of(action).length))
  // One function for a policy, so that the compiler of the engine sees functions of a usual size.
  const source = `"use strict"
${writer.constants()}
${outs.join("\n")}
const open = new Int32Array(${block}), left = new Int32Array(${block}), kept = new Int32Array(${block})
${bodies.map((body, at) => `const policy${at} = (start, end) => {\n${body}\n}`).join("\n")}
return () => {
${rules.map((_, rule) => `  fresh${rule}()`).join("\n")}
${writer.prelude()}
  for (let start = 0; start < ${columns.size}; start += ${block}) {
    const end = Math.min(start + ${block}, ${columns.size})
${bodies.map((_, at) => `    policy${at}(start, end)`).join("\n")}
  }
  return [${rules.map((_, rule) => `found${rule}()`).join(", ")}]
}`
  return new Function("given", source)(writer.given)
}

class Writer {
  /** What the source cannot say itself: columns and tables. */
  readonly given: Array<unknown> = []
  private readonly names = new Map<unknown, string>()
  private readonly sums = new Map<string, { readonly name: string; readonly code: string }>()

  constructor(private readonly columns: Columns) {}

  constants(): string {
    const whole = "const whole = (x) => { const n = Math.round(x); return Math.abs(x - n) < 1e-6 ? n : x }\n"
    return whole + this.given.map((_, at) => `const g${at} = given[${at}]`).join("\n")
  }

  prelude(): string {
    return [...this.sums.values()].map(({ code }) => code).join("\n")
  }

  /** Lists of one rule that grow; new ones for every run, as what was found belongs to who asked. */
  out(rule: number, values: number): string {
    const each = (line: (value: number) => string) =>
      Array.from({ length: values }, (_, v) => line(v)).join(" ")
    return `let n${rule}, r${rule} ${each((v) => `, v${rule}_${v}`)}
const fresh${rule} = () => { n${rule} = 0; r${rule} = new Int32Array(64); ${each((v) => `v${rule}_${v} = new Float64Array(64);`)} }
const grow${rule} = () => {
  const more = (from, to) => { to.set(from); return to }
  const size = r${rule}.length * 2 + ${block}
  r${rule} = more(r${rule}, new Int32Array(size))
  ${each((v) => `v${rule}_${v} = more(v${rule}_${v}, new Float64Array(size));`)}
}
const found${rule} = () => ({ rows: r${rule}.subarray(0, n${rule}), values: [${each((v) => `v${rule}_${v}.subarray(0, n${rule}),`)}] })`
  }

  ended({ rules, where }: Policy, first: number): string {
    const all = (clauses: Policy["where"]) =>
      clauses.map(({ condition }) => this.test(condition)).join(" && ") || "true"
    const branches = rules.map((rule, at) => {
      const number = first + at
      return `if (${all(rule.when)}) { r${number}[n${number}] = row; ${this.values(rule.action, number, `n${number}`)} n${number}++ }`
    })
    return `${this.room(rules.length, first)}
  for (let row = start; row < end; row++) {
    const pair = ${this.name(this.columns.pairOf)}[row]
    if (!(${all(where)})) continue
    ${branches.join("\n    else ")}
  }`
  }

  narrowed({ rules, where }: Policy, first: number): string {
    const narrow = (list: string, test: string) => `{ let m = 0
      for (let i = 0; i < count; i++) {
        const row = ${list}[i], pair = ${this.name(this.columns.pairOf)}[row]
        kept[m] = row
        m += Number(${test})
      }
      count = m }`
    const scope = where.map(({ condition }) =>
      narrow("open", this.test(condition)).replaceAll("kept", "open")
    )
    const bodies = rules.map((rule, at) => {
      const number = first + at
      const steps = rule.when.map(({ condition }, step) =>
        narrow(step === 0 ? "open" : "kept", this.test(condition))
      )
      const rest =
        at + 1 < rules.length
          ? `{ let m = 0, k = 0
      for (let i = 0; i < size; i++) { const row = open[i]; if (k < count && kept[k] === row) k++; else open[m++] = row }
      size = m }`
          : ""
      return `count = size
    ${steps.length === 0 ? "kept.set(open)" : steps.join("\n    ")}
    for (let i = 0; i < count; i++) {
      const row = kept[i], pair = ${this.name(this.columns.pairOf)}[row]
      r${number}[n${number}] = row
      ${this.values(rule.action, number, `n${number}`)}
      n${number}++
    }
    ${rest}`
    })
    return `${this.room(rules.length, first)}
    let count = end - start
    for (let i = 0; i < count; i++) open[i] = start + i
    ${scope.join("\n    ")}
    let size = count
    ${bodies.join("\n    ")}`
  }

  private room(rules: number, first: number): string {
    return Array.from(
      { length: rules },
      (_, at) => `  if (n${first + at} + ${block} > r${first + at}.length) grow${first + at}()`
    ).join("\n")
  }

  private values(action: Policy["rules"][number]["action"], rule: number, at: string): string {
    return ActionValues.of(action)
      .map((expr, v) => `v${rule}_${v}[${at}] = ${this.value(expr)};`)
      .join(" ")
  }

  private test(condition: Condition): string {
    switch (condition._tag) {
      case "Compare": {
        if (isText(condition.left)) {
          const word = String((condition.right as Extract<Expr, { readonly _tag: "Literal" }>).value)
          return this.ofText(condition.left, (text) => (text === word) === (condition.op === "="))
        }
        const op = { "=": "===", "!=": "!==" }[condition.op as string] ?? condition.op
        return `(${this.value(condition.left)} ${op} ${this.value(condition.right)})`
      }
      case "Between": {
        const value = this.value(condition.value)
        return `(${this.value(condition.low)} <= ${value} && ${value} <= ${this.value(condition.high)})`
      }
      case "In": {
        const words = new Set(
          condition.options.map((one) => (one._tag === "Literal" ? one.value : undefined))
        )
        return this.ofText(condition.value, (text) => words.has(text))
      }
      case "Matches":
        return this.ofText(condition.value, Texts.glob(condition.pattern))
      case "Contains":
        return this.ofText(condition.value, Texts.containsAny(condition.words))
      case "IsKnown":
        return "true"
      case "Confident": {
        const proof = this.name(Confidence.of(condition).holds)
        return `${proof}(${[condition.hits, condition.trials, condition.threshold].map((one) => this.value(one)).join(", ")})`
      }
      case "And":
        return `(${condition.all.map((one) => this.test(one)).join(" && ")})`
      case "Or":
        return `(${condition.any.map((one) => this.test(one)).join(" || ")})`
      case "Not":
        return `!${this.test(condition.condition)}`
      default:
        throw new RangeError(`the generator knows no ${condition._tag}`)
    }
  }

  private value(expr: Expr): string {
    switch (expr._tag) {
      case "Literal":
        return String(expr.value)
      case "Fact":
        return this.cell(this.column(Table.factKey(expr.fact)))
      case "Arithmetic": {
        const plain = `(${this.value(expr.left)} ${expr.op} ${this.value(expr.right)})`
        return expr.type._tag === "Money" ? `whole${plain}` : plain
      }
      case "Default":
        return this.value(expr.value)
      case "Extreme":
        return `Math.${expr.pick}(${expr.of.map((one) => this.value(one)).join(", ")})`
      case "Derived":
        return this.value(expr.of)
      case "Sum":
        return this.sum(expr)
      case "Figure":
        throw new RangeError("the generator knows no figures")
    }
  }

  /** Of an item over the campaigns it is in: added up once, before the rows. */
  private sum({ of }: Extract<Expr, { readonly _tag: "Sum" }>): string {
    const source = this.value(of)
    const { columns } = this
    const known = this.sums.get(source)
    const name = known?.name ?? this.name(new Float64Array(columns.itemOf.length))
    const items = this.name(columns.itemOf)
    const code = `  ${name}.fill(0)
  for (let pair = 0; pair < ${columns.itemOf.length}; pair++) ${name}[${items}[pair]] += ${source}`
    this.sums.set(source, { name, code })
    return `${name}[${items}[pair]]`
  }

  private ofText(expr: Expr, holds: (text: string) => boolean): string {
    if (expr._tag !== "Fact") throw new RangeError("the generator asks only facts for their text")
    const column = this.column(Table.factKey(expr.fact))
    const answers = Uint8Array.from(column.texts!, (text) => Number(holds(text)))
    return `(${this.name(answers)}[${this.cell(column)}] === 1)`
  }

  private column(key: string): Column {
    const found = this.columns.facts.get(key)
    if (found === undefined) throw new RangeError(`no column ${key}`)
    return found
  }

  private cell({ level, values }: Column): string {
    const name = this.name(values)
    if (level === "cluster") return `${name}[row]`
    if (level === "campaign_item") return `${name}[pair]`
    const links = level === "item" ? this.columns.itemOf : this.columns.campaignOf
    return `${name}[${this.name(links)}[pair]]`
  }

  private name(value: unknown): string {
    const known = this.names.get(value)
    if (known !== undefined) return known
    const name = `g${this.given.push(value) - 1}`
    this.names.set(value, name)
    return name
  }
}

const isText = (expr: Expr): boolean => /^(Text|Enum|Labels)$/.test(expr.type._tag)
