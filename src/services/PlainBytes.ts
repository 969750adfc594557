/**
 * The quickest way to read answers that are plainly as declared: from their bytes, without the text of the whole, without what
 * `JSON.parse` makes of it, and without the fields that nobody looks at. Of the same schema as `PlainAnswers` a reader is written
 * that takes what is right without any doubt, and checks what it leaves out as closely. All else is for others to read and to tell.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Json from "../domain/Json.js"
import * as PlainAnswers from "./PlainAnswers.js"
import { doubt, type Field, type Read, Unwritable } from "./PlainAnswers.js"

/** Names of fields that whoever calls does not look at, wherever they stand; only those that an answer may lack are left out. */
export type LeftOut = ReadonlySet<string>

/** What the calls at hand leave out of their answers. */
export class LeavingOut extends Context.Reference<LeavingOut>()("bidhelm/LeavingOut", {
  defaultValue: (): LeftOut | undefined => undefined
}) {}

/** Calls whose answers need not hold these fields; they are checked all the same. */
export const without =
  (fields: LeftOut) =>
  <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(calls, LeavingOut, fields)

/** Reads the bytes of an answer as its schema does, but for what is left out; or doubts it. */
export type ReadBytes = (bytes: Uint8Array, leftOut?: LeftOut) => unknown

/** The reader of a schema. One is written for each set of names, at the first answer: have the set made once. */
export const of = ({ ast }: Schema.Schema.AnyNoContext): ReadBytes => ofSchema(ast)

const ofSchema = PlainAnswers.once((ast): ReadBytes => {
  if (!PlainAnswers.isPlain(ast)) return () => doubt
  const made = new Map<LeftOut | undefined, Read>()
  return (bytes, leftOut) => {
    const existing = made.get(leftOut)
    if (existing !== undefined) return existing(bytes)
    const read = PlainAnswers.unlessUnwritable(() => new Writer(leftOut ?? nothing).reader(ast))
    made.set(leftOut, read)
    return read(bytes)
  }
})

const nothing: LeftOut = new Set()

/** Longest name of a field, with its quotation marks and colon, bytes. */
const longestName = 64

/** Writes a function for each part of a schema. A function begins at the first sign of its value and ends behind the last one. */
class Writer {
  private readonly lines: Array<string> = [signs]
  private readonly given: Array<unknown> = []
  private names = 0

  constructor(private readonly leftOut: LeftOut) {}

  reader(ast: AST.AST): Read {
    this.lines.push(`const whole = ${this.value(ast, true)}`, entrance)
    return new Function("given", "doubt", "parse", this.lines.join("\n"))(this.given, doubt, parse) as Read
  }

  /** The name of a function that reads a value, or with `keeps` false only looks whether it is right. */
  private value(ast: AST.AST, keeps: boolean): string {
    switch (ast._tag) {
      case "StringKeyword":
        return keeps ? "string" : "passString"
      case "NumberKeyword":
        return "number"
      case "BooleanKeyword":
        return "boolean"
      case "UnknownKeyword":
      case "AnyKeyword":
        return keeps ? "anything" : "pass"
      case "Literal":
        return this.made(
          "",
          `const value = single(); if (value !== ${this.give(ast.literal)}) throw doubt; return value`
        )
      case "Refinement":
        return this.refined(ast)
      case "TypeLiteral":
        return this.record(ast, PlainAnswers.fieldsOf(ast, []), keeps)
      case "TupleType":
        return this.list(ast, keeps)
      case "Union":
        return this.union(ast, keeps)
      case "Transformation":
        return this.transformed(ast, keeps)
      default:
        throw new Unwritable(ast._tag)
    }
  }

  private refined(ast: AST.Refinement): string {
    const base = this.value(ast.from, true)
    const known = PlainAnswers.checkOf(ast)
    const holds = (value: unknown) => Option.isNone(ast.filter(value, AST.defaultParseOption, ast))
    const check = known === undefined ? `${this.give(holds)}(value)` : known("value")
    return this.made("", `const value = ${base}(); if (!(${check})) throw doubt; return value`)
  }

  private list(ast: AST.TupleType, keeps: boolean): string {
    const item = this.value(PlainAnswers.itemOf(ast), keeps)
    const entry = keeps ? `list.push(${item}())` : `${item}()`
    return this.made(
      "",
      `if (b[p] !== 91) throw doubt
      ${keeps ? "const list = []" : "const list = true"}; p++
      if (sign() === 93) { p++; return list }
      for (;;) {
        ${entry}
        const c = sign(); p++
        if (c === 93) return list
        if (c !== 44) throw doubt
        sign()
      }`
    )
  }

  /**
   * Records of a list mostly have the same fields in the same order: the field that followed this one last time is looked for
   * first, four bytes at once, and only another one is found by its hash.
   */
  private record(ast: AST.TypeLiteral, fields: ReadonlyArray<Field>, keeps: boolean): string {
    if (ast.indexSignatures.length > 0 || fields.length === 0) throw new Unwritable("any fields")
    const hashes = new Set(fields.map(({ name }) => hashOf(name)))
    if (hashes.size < fields.length) throw new Unwritable("names alike")
    const all = fields.map((field, at) => this.field(field, at, keeps))
    const masks = Array.from({ length: Math.ceil(fields.length / 31) }, (_, n) => `seen${n} = 0`)
    const others = fields.length
    const followers = this.give(
      new Uint16Array(others + 2).map((_, at) => (at > others ? 0 : Math.min(at + 1, others)))
    )
    return this.made(
      "",
      `if (b[p] !== 123) throw doubt
      let ${[...masks, ...fields.map((_, at) => `f${at}`)].join(", ")}
      const followers = ${followers}
      let before = ${others + 1}, field = followers[before]
      p++
      if (sign() === 125) p++
      else for (;;) {
        let found = ${others}
        switch (p < last ? field : ${others}) {
          ${all.map(({ follows }) => follows).join("\n")}
        }
        if (found === ${others}) {
          if (b[p] !== 34) throw doubt
          const from = p + 1
          let to = from, hash = 0
          for (let c = b[to]; c !== 34; c = b[++to]) {
            if (c === 92 || !(c >= 32)) throw doubt
            hash = (Math.imul(hash, 31) + c) | 0
          }
          p = to + 1
          if (b[p] !== 58 && sign() !== 58) throw doubt
          p++
          switch (hash) {
            ${all.map(({ find }) => find).join("\n")}
          }
          followers[before] = found
        }
        if (b[p] <= 32) sign()
        switch (found) {
          ${all.map(({ read }) => read).join("\n")}
          default: pass()
        }
        before = found
        field = followers[before]
        const c = sign(); p++
        if (c === 125) break
        if (c !== 44) throw doubt
        if (b[p] <= 32) sign()
      }
      ${keeps ? wholeOf(all) : "const record = true"}
      ${all.map(({ keep }) => keep).join("\n")}
      return record`
    )
  }

  /** How a field is read, and how it comes into the record. What stands twice is doubted. */
  private field({ name, otherwise, type }: Field, at: number, keepsRecord: boolean) {
    const bytes = Buffer.from(`"${name}":`)
    if (name in Object.prototype || name === "" || bytes.length > longestName) throw new Unwritable(name)
    const mayLack = otherwise === "absent" || otherwise === "nullable"
    const keeps = keepsRecord && !(mayLack && this.leftOut.has(name))
    const read = this.value(type, keeps)
    const [seen, bit] = [`seen${Math.floor(at / 31)}`, 1 << (at % 31)]
    const unlessNull =
      otherwise === "nullable" || typeof otherwise === "function"
        ? "if (b[p] === 110) word(null_); else "
        : ""
    const into = `record[${JSON.stringify(name)}] = `
    const isThere = `f${at} !== undefined`
    const kept =
      otherwise === "doubt"
        ? `${into}f${at}`
        : typeof otherwise === "function"
          ? `${into}${isThere} ? f${at} : ${this.give(otherwise)}()`
          : `if (${isThere}) ${into}f${at}`
    return {
      follows: `case ${at}: if (${wordsOf(bytes)}) { found = ${at}; p += ${bytes.length} } break`,
      find: `case ${hashOf(name)}: if (isName(${this.give(Buffer.from(name))}, from, to)) found = ${at}; break`,
      read: `case ${at}:
        if (${seen} & ${bit}) throw doubt
        ${seen} |= ${bit}
        ${unlessNull}${keeps ? `f${at} = ` : ""}${read}()
        break`,
      whole: keeps ? { isThere, entry: `${JSON.stringify(name)}: f${at}` } : undefined,
      keep: `${otherwise === "doubt" ? `if (!(${seen} & ${bit})) throw doubt\n` : ""}${keeps ? kept : ""}`
    }
  }

  private union(ast: AST.Union, keeps: boolean): string {
    const { first, kind } = PlainAnswers.unionOf(ast)
    if (kind === "literals") {
      const options = ast.types.map((one) => `value === ${this.give((one as AST.Literal).literal)}`)
      return this.made(
        "",
        `const value = single(); if (!(${options.join(" || ")})) throw doubt; return value`
      )
    }
    const read = this.value(first, keeps)
    return kind === "first"
      ? read
      : this.made("", `if (b[p] === 110) { word(null_); return null } return ${read}()`)
  }

  /** What a value becomes is no longer in the bytes: it is looked at as any value is. */
  private transformed(ast: AST.Transformation, keeps: boolean): string {
    const { transformation } = ast
    if (transformation._tag === "TypeLiteralTransformation") {
      const { fields, from } = PlainAnswers.placedFields(ast, transformation)
      return this.record(from, fields, keeps)
    }
    const base = this.value(ast.from, true)
    const further = this.give(PlainAnswers.reader(ast.to))
    const change =
      transformation._tag === "FinalTransformation"
        ? `${this.give(decoder(ast, transformation))}(${base}())`
        : `${base}()`
    return this.made(
      "",
      `let value = ${change}; if (value === doubt) throw doubt
      value = ${further}(value); if (value === doubt || value === undefined) throw doubt
      return value`
    )
  }

  private made(parameters: string, body: string): string {
    this.names += 1
    this.lines.push(`const r${this.names} = (${parameters}) => { ${body} }`)
    return `r${this.names}`
  }

  private give(value: unknown): string {
    return `given[${this.given.push(value) - 1}]`
  }
}

const decoder =
  (ast: AST.Transformation, { decode }: AST.FinalTransformation) =>
  (value: unknown) => {
    const decoded = decode(value, AST.defaultParseOption, ast, value)
    return Either.isEither(decoded) && Either.isRight(decoded) ? decoded.right : doubt
  }

/** Of a part whose levels were counted. */
const parse = (text: string): unknown =>
  Either.getOrElse(Json.readShallow(text), () => {
    throw doubt
  })

/** A record of which nothing is missing is made at once, without growing field by field. */
const wholeOf = (
  fields: ReadonlyArray<{ readonly whole: { readonly isThere: string; readonly entry: string } | undefined }>
) => {
  const kept = fields.flatMap(({ whole }) => whole ?? [])
  return kept.length === 0
    ? "const record = {}"
    : `if (${kept.map(({ isThere }) => isThere).join(" && ")}) return { ${kept.map(({ entry }) => entry).join(", ")} }
      const record = {}`
}

/** Whether these bytes, four at least, stand at the place. */
const wordsOf = (bytes: Buffer): string => {
  const starts = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, n) =>
    Math.min(n * 4, bytes.length - 4)
  )
  return starts.map((at) => `words.getInt32(p + ${at}, true) === ${bytes.readInt32LE(at)}`).join(" && ")
}

/** As the record's reader computes it while it looks for the end of a name. */
const hashOf = (name: string): number =>
  Buffer.from(name).reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 0)

/**
 * What JSON is made of. The end of the bytes is no sign, and so is never the right one. Numbers of at most fifteen digits are
 * exact, and so is a power of ten: one division of the two is rounded as JSON says; others are left to `Number`. Levels are
 * counted: what is nested deeper than any answer is doubted. `latin1Slice`, `ucs2Slice` and `utf8Slice` are what `Buffer.toString` calls.
 */
const signs = `"use strict"
let b, words, last = 0, p = 0 // Before \`last\` every name is within the bytes. In loops the place is a variable of the function's own, which is much quicker.
const tens = Array.from({ length: 16 }, (_, n) => 10 ** n)
const [true_, false_, null_] = ["true", "false", "null"].map((word) => Buffer.from(word))
const sign = () => {
  let c = b[p]
  if (c > 32) return c
  while (c === 32 || c === 10 || c === 13 || c === 9) c = b[++p]
  return c
}
const word = (bytes) => {
  for (let i = 0; i < bytes.length; i++) if (b[p++] !== bytes[i]) throw doubt
}
const isName = (name, from, to) => {
  if (name.length !== to - from) return false
  for (let i = 0; i < name.length; i++) if (name[i] !== b[from + i]) return false
  return true
}
const escape = (from) => {
  let at = from + 1
  const c = b[at]
  if (c === 117) {
    for (let i = 0; i < 4; i++) {
      const d = b[++at]
      if (!((d >= 48 && d <= 57) || (d >= 65 && d <= 70) || (d >= 97 && d <= 102))) throw doubt
    }
  } else if (c !== 34 && c !== 92 && c !== 47 && c !== 98 && c !== 102 && c !== 110 && c !== 114 && c !== 116) throw doubt
  return at
}
const passString = () => {
  if (b[p] !== 34) throw doubt
  const bytes = b
  let at = p + 1
  for (let c = bytes[at]; c !== 34; c = bytes[++at]) {
    if (c === 92) at = escape(at)
    else if (!(c >= 32)) throw doubt
  }
  p = at + 1
}
const string = () => {
  if (b[p] !== 34) throw doubt
  const bytes = b
  const from = p + 1
  let to = from, length = 0, c = bytes[to]
  for (; c !== 34 && length < units.length; c = bytes[++to]) {
    if (c < 128) {
      if (c < 32 || c === 92) break
      units[length++] = c; units[length++] = 0
    } else {
      const next = bytes[to + 1]
      if (!(c >= 194 && c < 224 && (next & 192) === 128)) break
      const unit = ((c & 31) << 6) | (next & 63)
      units[length++] = unit; units[length++] = unit >> 8
      to++
    }
  }
  if (c !== 34) return rareString()
  p = to + 1
  return length === (to - from) * 2 ? b.latin1Slice(from, to) : units.ucs2Slice(0, length)
}
const units = Buffer.alloc(1024) // Of a text of letters of one or two bytes, in UTF-16: its bytes need not be looked at twice more.
const rareString = () => {
  const from = p + 1
  let to = from, escaped = false
  for (let c = b[to]; c !== 34; c = b[++to]) {
    if (c === 92) { to = escape(to); escaped = true }
    else if (!(c >= 32)) throw doubt
  }
  p = to + 1
  const text = escaped ? b.utf8Slice(from - 1, p) : b.utf8Slice(from, to)
  // Bytes that are no text: others say what they read there.
  if (text.includes("\\ufffd")) throw doubt
  return escaped ? parse(text) : text
}
const number = () => {
  const bytes = b
  const from = p
  let at = from, c = bytes[at]
  const isNegative = c === 45
  if (isNegative) c = bytes[++at]
  if (!(c >= 48 && c <= 57)) throw doubt
  let value = c - 48, digits = 1, places = 0
  if (c === 48) c = bytes[++at]
  else for (c = bytes[++at]; c >= 48 && c <= 57; c = bytes[++at]) { value = value * 10 + (c - 48); digits++ }
  if (c === 46) {
    for (c = bytes[++at]; c >= 48 && c <= 57; c = bytes[++at]) { value = value * 10 + (c - 48); places++ }
    if (places === 0) throw doubt
    digits += places
  }
  const isPower = c === 101 || c === 69
  if (!isPower && digits <= 15) {
    p = at
    if (places > 0) value /= tens[places]
    return isNegative ? -value : value
  }
  if (isPower) {
    c = bytes[++at]
    if (c === 43 || c === 45) c = bytes[++at]
    if (!(c >= 48 && c <= 57)) throw doubt
    while (c >= 48 && c <= 57) c = bytes[++at]
  }
  p = at
  return Number(bytes.latin1Slice(from, at))
}
const boolean = () => {
  const isTrue = b[p] === 116
  word(isTrue ? true_ : false_)
  return isTrue
}
const single = () => {
  switch (b[p]) {
    case 34: return string()
    case 116: case 102: return boolean()
    case 110: word(null_); return null
    default: return number()
  }
}
const pass = (levels = 32) => {
  switch (b[p]) {
    case 34: passString(); return
    case 116: case 102: boolean(); return
    case 110: word(null_); return
    case 123: case 91: break
    default: number(); return
  }
  if (levels === 0) throw doubt
  const isRecord = b[p] === 123
  const end = isRecord ? 125 : 93
  p++
  if (sign() === end) { p++; return }
  for (;;) {
    if (isRecord) {
      passString()
      if (sign() !== 58) throw doubt
      p++; sign()
    }
    pass(levels - 1)
    const c = sign(); p++
    if (c === end) return
    if (c !== 44) throw doubt
    sign()
  }
}
const anything = () => {
  const from = p
  pass()
  return parse(b.utf8Slice(from, p))
}`

const entrance = `return (bytes) => {
  b = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  words = new DataView(b.buffer, b.byteOffset, b.byteLength)
  last = b.length - ${longestName}
  p = 0
  try {
    sign()
    const value = whole()
    while (p < b.length) if (b[p] > 32 || sign() !== undefined) return doubt
    return value
  } catch (error) {
    if (error === doubt) return doubt
    throw error
  } finally {
    b = words = undefined
  }
}`
