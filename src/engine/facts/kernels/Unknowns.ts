/**
 * Why conditions are unknown, for rows that they do not rule out: written as JavaScript like the questions themselves (`Source`). A
 * reason is a byte (`domain/Reason`), 0 where there is none. What only kernels know is asked of them, row by row.
 */
import * as Reason from "../../../domain/Reason.js"
import type { Condition, Expr } from "../../language/Policy.js"
import { Unknown } from "../Kleene.js"
import { factKey } from "../Table.js"
import * as Defined from "./Defined.js"
import type { Ground } from "./Ground.js"
import * as Kernel from "./Kernel.js"
import * as Source from "./Source.js"
import * as TextKernel from "./TextKernel.js"

// A step and a reason's byte in one number; 0 where nothing is unknown.

const bits = 4
const mask = (1 << bits) - 1
const markOf = (step: number, reason: number): number => (step << bits) | reason
export const stepOf = (mark: number): number => mark >> bits
export const reasonOf = (mark: number): number => mark & mask
/** Of two marks that of the earlier step; 0 is none. */
export const earlier = (a: number, b: number): number => (a === 0 || (b !== 0 && b < a) ? b : a)

/** Finds out why rows are unknown of which some condition is, asked in the order of their steps. */
export interface Unknowns {
  /** Of steps that only kernels can tell of, the last first: so the first unknown step has the last word. */
  readonly byKernels: ReadonlyArray<Explain>
  /** Of the others; undefined where nothing can be unknown by them. */
  readonly parting: Parting | undefined
}

/** Where something is unknown for a row, puts its mark at the row's place, over what stands there. */
export type Explain = (rows: Int32Array, count: number, marks: Int32Array) => void

export interface Parting {
  /** Copies the rows of which all is known and that have no mark; `open` gets the others, `marks` theirs. Answers how many others. */
  readonly part: Source.Narrow
  /** Fills in the marks of rows, 0 where nothing is unknown. */
  readonly mark: Source.Narrow
}

/** Room for one block. */
export interface Room {
  readonly open: Int32Array
  readonly marks: Int32Array
}

/** `conditions` are the steps, in their order. */
export const of = (
  conditions: ReadonlyArray<Condition>,
  { marks, open }: Room,
  ground: Ground,
  marksOf: Source.MarksOf
): Unknowns => {
  // Written twice: for every row that is left whether it is known, and for those that are not, why.
  const tell = () => {
    const writer = new Source.Writer(ground, marksOf)
    const telling = new Telling(writer)
    return {
      writer,
      told: conditions.map((one) => (ground.isCompiled ? telling.ofCondition(one) : undefined))
    }
  }
  const { told, writer } = tell()
  const byKernels = conditions
    .flatMap((condition, step) => (told[step] === undefined ? [byKernel(condition, step, ground)] : []))
    .reverse()
  if (told.every((one) => one === undefined || one.reasons.length === 0))
    return { byKernels, parting: undefined }
  const marking = tell()
  return {
    byKernels,
    parting: {
      part: part(told, byKernels.length > 0 ? marks : undefined, open, writer),
      mark: mark(marking.told, marking.writer)
    }
  }
}

/** The kernel is made when the first row is left. */
const byKernel = (condition: Condition, step: number, { block, table }: Ground): Explain => {
  let kernel: ReturnType<typeof Kernel.compile> | undefined
  const truth = new Uint8Array(block)
  const reason = new Uint8Array(block)
  return (rows, count, marks) => {
    kernel ??= Kernel.compile(condition, table, block)
    kernel(rows, count, truth, reason)
    for (let i = 0; i < count; i++) if (truth[i] === Unknown) marks[i] = markOf(step, reason[i]!)
  }
}

const part = (
  told: ReadonlyArray<Told | undefined>,
  marks: Int32Array | undefined,
  open: Int32Array,
  writer: Source.Writer
): Source.Narrow => {
  const marked = marks === undefined ? undefined : writer.name(marks)
  const all = told.filter((one) => one !== undefined)
  const bytes = new Set(all.flatMap((one) => one.bytes))
  if (marked !== undefined) bytes.add(`${marked}[i]`)
  const tests = all.flatMap((one) => one.tests)
  const byByte = bytes.size === 0 ? [] : [`(${[...bytes].join(" | ")}) !== 0`]
  const step = `const isOpen = Number(${[...byByte, ...tests].join(" || ")})
    out[held] = row
    ${writer.name(open)}[left] = row
    ${marked === undefined ? "" : `${marked}[left] = ${marked}[i]`}
    held += 1 - isOpen
    left += isOpen`
  return writer.compile(`
  let held = 0, left = 0
  ${writer.loop(step)}
  return left`)
}

/** Without a branch: which columns have a value cannot be foretold. */
const mark = (told: ReadonlyArray<Told | undefined>, writer: Source.Writer): Source.Narrow => {
  const [found, reason, isKnown] = [writer.temp(), writer.temp(), writer.temp()]
  const each = told.flatMap((one, step) =>
    (one?.reasons ?? []).map(
      (text) => `${reason} = ${text}
    ${isKnown} = (${reason} - 1) >> 31
    ${found} = ${found} & ${isKnown} | (${markOf(step, 0)} | ${reason}) & ~${isKnown}`
    )
  )
  return writer.compile(
    writer.loop(`${found} = 0
    ${each.reverse().join("\n    ")}
    out[i] = ${found}`)
  )
}

/** Fills in the reason's byte for each row; undefined where only the kernel of the number knows. */
export const ofValue = (expr: Expr, ground: Ground): Source.Narrow | undefined => {
  const writer = new Source.Writer(ground)
  const told = TextKernel.isText(expr) ? undefined : new Telling(writer).ofValue(expr)
  return told === undefined ? undefined : writer.compile(writer.loop(`out[i] = ${told.reason}`))
}

/** What tells why a condition is unknown; nothing, where it never is. */
interface Told {
  /** Of several the first that is not 0 counts. */
  readonly reasons: ReadonlyArray<string>
  /** Of a row that the condition does not rule out one is not 0 where it is unknown … */
  readonly bytes: ReadonlyArray<string>
  /** … or one is true. */
  readonly tests: ReadonlyArray<string>
}

interface ToldOfValue {
  readonly reason: string
  readonly bytes: ReadonlyArray<string>
}

const never: ToldOfValue = { reason: "0", bytes: [] }

/** By a reason's byte: the same where there may be a value that could not be read. */
const unread = Source.missing.map((isMissing, byte) => (isMissing === 1 ? Reason.known : byte))

/** `Reason.worse` of both bytes. */
const worse = Uint8Array.from({ length: 1 << (2 * bits) }, (_, both) =>
  Reason.worse(both >> bits, both & mask)
)

const zeroOverZero = Reason.code("zeroOverZero")

/** As the kernels tell it; undefined where more than columns and written questions is needed. */
class Telling {
  constructor(private readonly writer: Source.Writer) {}

  /** For rows that it does not rule out, or that its opposite does not where `wanted` is false. */
  ofCondition(condition: Condition, wanted = true): Told | undefined {
    switch (condition._tag) {
      case "Not":
        return this.ofCondition(condition.condition, !wanted)
      case "And":
        return this.ofJoined(condition, condition.all, wanted)
      case "Or":
        return this.ofJoined(condition, condition.any, wanted)
      case "Between":
        return this.ofJoined(condition, Source.between(condition), wanted)
      case "Compare": {
        const both = [condition.left, condition.right]
        // A group's sum may be enough though a part of it is unknown.
        return both.some((one) => one._tag === "Sum" && one.where !== undefined)
          ? undefined
          : this.ofValues(both)
      }
      case "In":
        return condition.options.every(({ _tag }) => _tag === "Literal")
          ? this.ofValues([condition.value])
          : undefined
      case "Confident":
        return this.ofValues([condition.hits, condition.trials, condition.threshold])
      case "IsKnown":
        return told([this.unread(this.ofValue(condition.value))])
      case "Quantified":
        return undefined
      default:
        return this.ofValues([condition.value])
    }
  }

  /** Unknown where neither it nor its opposite is ruled out; by the first part that is. */
  private ofJoined(condition: Condition, parts: ReadonlyArray<Condition>, wanted: boolean): Told | undefined {
    const asked = parts.map((one) => this.ofCondition(one))
    if (!asked.every((one) => one !== undefined)) return undefined
    const reasons = asked.flatMap((one) => one.reasons)
    if (reasons.length === 0) return { reasons, bytes: [], tests: [] }
    const [holds, fails] = [this.writer.test(condition, true), this.writer.test(condition, false)]
    if (holds === undefined || fails === undefined) return undefined
    return {
      reasons: [`(${holds} && ${fails} ? ${reasons.join(" || ")} : 0)`],
      bytes: [],
      tests: [wanted ? fails : holds]
    }
  }

  private ofValues(asked: ReadonlyArray<Expr>): Told | undefined {
    return told(asked.map((one) => this.ofValue(one)))
  }

  ofValue(expr: Expr): ToldOfValue | undefined {
    switch (expr._tag) {
      case "Literal":
        return never
      case "Fact": {
        const place = this.writer.ground.table.place(factKey(expr.fact))
        if (place === undefined || (place.column.kind === "text") !== TextKernel.isText(expr))
          return undefined
        return place.column.knownCount >= place.size ? never : byte(this.writer.why(place))
      }
      case "Arithmetic":
        return this.orNothing(expr, this.worst([expr.left, expr.right]))
      case "Figure":
        // On days ahead its terms may be others than the columns tell.
        return expr.ahead !== undefined && this.writer.ground.table.hasAhead
          ? undefined
          : this.orNothing(expr, this.worst(expr.of))
      case "Extreme":
        return this.worst(expr.of)
      case "Derived":
        return this.ofValue(expr.of)
      case "Default":
        return expr.fallback._tag === "Literal" ? this.unread(this.ofValue(expr.value)) : undefined
      case "Sum": {
        const sums = Source.sums(expr, this.writer.ground)
        if (sums === undefined) return undefined
        return sums.certain
          ? never
          : byte(`${this.writer.name(sums.reasons)}[${this.writer.key(sums.steps)}]`)
      }
    }
  }

  /** Nothing may be left to say though all is known (0/0, endless less endless): see `Numbers.apply`. */
  private orNothing(expr: Expr, parts: ToldOfValue | undefined): ToldOfValue | undefined {
    if (parts === undefined || Defined.isDefined(expr)) return parts
    const value = this.writer.value(expr)
    if (value === undefined) return undefined
    const kept = this.writer.temp()
    const isNothing = `(${kept} = ${value}, Number(${kept} !== ${kept}))`
    return { reason: `(${parts.reason} || ${isNothing} * ${zeroOverZero})`, bytes: [isNothing] }
  }

  private worst(asked: ReadonlyArray<Expr>): ToldOfValue | undefined {
    const parts = asked.map((one) => this.ofValue(one))
    if (!parts.every((one) => one !== undefined)) return undefined
    return parts
      .filter((one) => one !== never)
      .reduce(
        (all, one) =>
          all === never
            ? one
            : {
                reason: `${this.writer.name(worse)}[${all.reason} << ${bits} | ${one.reason}]`,
                bytes: [...all.bytes, ...one.bytes]
              },
        never
      )
  }

  /** Where only what could not be read counts. */
  private unread(value: ToldOfValue | undefined): ToldOfValue | undefined {
    return value === undefined || value === never
      ? value
      : byte(`${this.writer.name(unread)}[${value.reason}]`)
  }
}

const byte = (reason: string): ToldOfValue => ({ reason, bytes: [reason] })

const told = (values: ReadonlyArray<ToldOfValue | undefined>): Told | undefined => {
  if (!values.every((one) => one !== undefined)) return undefined
  const some = values.filter((one) => one !== never)
  return { reasons: some.map(({ reason }) => reason), bytes: some.flatMap(({ bytes }) => bytes), tests: [] }
}
