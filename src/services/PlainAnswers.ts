/**
 * A quick way to read answers that are plainly as declared. A schema looks at a row some twenty times as long as
 * `JSON.parse` does, and of a large account's statistics that is most of what a plan costs. From the same schema a
 * reader is written that takes what is right without any doubt and leaves the rest to the schema: what is wrong, and in
 * which words, is the schema's to say. What it takes is what the schema would answer, in the same order of fields.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Json from "../domain/Json.js"

/** What a reader says of a value that is not plainly right. */
export const doubt: unique symbol = Symbol("doubt")

/** The decoded value, or `doubt`. */
export type Read = (value: unknown) => unknown

/**
 * What is made of a schema, made once, whoever asks first: a program may have a thousand accounts, and a reader that each
 * made and warmed up for itself would cost more than what it reads.
 */
export const once = <A>(make: (ast: AST.AST) => A): ((ast: AST.AST) => A) => {
  const all = new WeakMap<AST.AST, { readonly made: A }>()
  return (ast) => {
    const existing = all.get(ast) ?? { made: make(ast) }
    all.set(ast, existing)
    return existing.made
  }
}

/**
 * Reads the text of an answer, which is not nested too deep, as a schema does, or doubts it. What has several statuses or an encoding of its own, by which
 * a client tells answers apart, is always doubted.
 */
export const of = ({ ast }: Schema.Schema.AnyNoContext): ((text: string) => unknown) => ofSchema(ast)

const ofSchema = once((ast) => {
  if (!isPlain(ast)) return () => doubt
  return (text: string) => {
    const json = Json.readShallow(text)
    return Either.isRight(json) ? reader(ast)(json.right) : doubt
  }
})

/** Whether an answer has one status, and is nothing but JSON. */
export const isPlain = (ast: AST.AST): boolean => {
  const members = membersOf(ast)
  return (
    new Set(members.map((one) => HttpApiSchema.getStatusSuccessAST(one))).size === 1 &&
    members.every(
      (one) =>
        HttpApiSchema.getEncoding(one).kind === "Json" &&
        !HttpApiSchema.isVoid(one) &&
        !HttpApiSchema.getEmptyDecodeable(one)
    )
  )
}

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  AST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

/** The reader of a schema; written at the first answer, for most operations are never called by most runs. */
export const reader: (ast: AST.AST) => Read = once((ast) => unlessUnwritable(() => new Writer().read(ast)))

/** A reader; or one that doubts everything, where none can be written. */
export const unlessUnwritable = (write: () => Read): Read => {
  try {
    return write()
  } catch (error) {
    // A runtime that makes no code of texts has the schema alone, as has what no reader is written for.
    if (error instanceof Unwritable || error instanceof EvalError) return () => doubt
    throw error
  }
}

/** A kind of schema that nobody has needed a quick way for. */
export class Unwritable extends Error {}

/** A field of a record, and what becomes of it where it is not there. */
export interface Field {
  readonly name: string
  readonly type: AST.AST
  /** `absent`: left out; `nullable`: left out, also for null; else what stands in its place, also for null. */
  readonly otherwise: "doubt" | "absent" | "nullable" | (() => unknown)
}

class Writer {
  private readonly lines: Array<string> = []
  private readonly given: Array<unknown> = []
  private names = 0

  /** A function of its own: of a whole answer, and of each entry of a list. */
  read(ast: AST.AST): Read {
    const result = this.value(ast, "input")
    const source = `return (input) => { ${this.lines.join("\n")}\nreturn ${result} }`
    return new Function("given", "doubt", source)(this.given, doubt) as Read
  }

  /** Lines that read `from` or end in doubt; answers where the value stands then. */
  private value(ast: AST.AST, from: string): string {
    switch (ast._tag) {
      case "StringKeyword":
        return this.when(`typeof ${from} === "string"`, from)
      case "NumberKeyword":
        return this.when(`typeof ${from} === "number"`, from)
      case "BooleanKeyword":
        return this.when(`typeof ${from} === "boolean"`, from)
      case "Literal":
        return this.when(`${from} === ${this.give(ast.literal)}`, from)
      case "UnknownKeyword":
      case "AnyKeyword":
        return from
      case "Refinement":
        return this.refined(ast, from)
      case "TypeLiteral":
        return this.record(ast, fieldsOf(ast, []), from)
      case "TupleType":
        return this.list(ast, from)
      case "Union":
        return this.union(ast, from)
      case "Transformation":
        return this.transformed(ast, from)
      default:
        throw new Unwritable(ast._tag)
    }
  }

  private refined(ast: AST.Refinement, from: string): string {
    const base = this.value(ast.from, from)
    const known = checkOf(ast)
    if (known !== undefined) return this.when(known(base), base)
    const holds = (value: unknown) => Option.isNone(ast.filter(value, AST.defaultParseOption, ast))
    return this.when(`${this.give(holds)}(${base})`, base)
  }

  private list(ast: AST.TupleType, from: string): string {
    const read = this.give(new Writer().read(itemOf(ast)))
    const into = this.name()
    this.when(`Array.isArray(${from})`, from)
    this.lines.push(
      `const ${into} = []`,
      `for (let i = 0; i < ${from}.length; i++) { const one = ${read}(${from}[i]); if (one === doubt) return doubt; ${into}.push(one) }`
    )
    return into
  }

  private record(ast: AST.TypeLiteral, fields: ReadonlyArray<Field>, from: string): string {
    if (ast.indexSignatures.length > 0 || fields.length === 0) throw new Unwritable("any fields")
    this.when(`typeof ${from} === "object" && ${from} !== null && !Array.isArray(${from})`, from)
    const into = this.name()
    this.lines.push(`const ${into} = {}`)
    for (const field of fields) this.field(field, from, into)
    return into
  }

  private field({ name, otherwise, type }: Field, from: string, into: string): void {
    if (name in Object.prototype) throw new Unwritable(name)
    const found = this.name()
    const place = `${into}[${JSON.stringify(name)}]`
    this.lines.push(`const ${found} = ${from}[${JSON.stringify(name)}]`)
    if (otherwise === "doubt") {
      this.when(`${found} !== undefined`, found)
      this.lines.push(`${place} = ${this.value(type, found)}`)
      return
    }
    this.lines.push(`if (${found} !== undefined${otherwise === "absent" ? "" : ` && ${found} !== null`}) {`)
    this.lines.push(`${place} = ${this.value(type, found)} }`)
    if (typeof otherwise === "function") this.lines.push(`else ${place} = ${this.give(otherwise)}()`)
  }

  private union(ast: AST.Union, from: string): string {
    const { first, kind } = unionOf(ast)
    if (kind === "literals") {
      const options = ast.types.map((one) => `${from} === ${this.give((one as AST.Literal).literal)}`)
      return this.when(options.join(" || "), from)
    }
    if (kind === "first") return this.value(first, from)
    const into = this.name()
    this.lines.push(`let ${into} = null`, `if (${from} !== null) {`)
    this.lines.push(`${into} = ${this.value(first, from)} }`)
    return into
  }

  private transformed(ast: AST.Transformation, from: string): string {
    const { transformation } = ast
    switch (transformation._tag) {
      case "TypeLiteralTransformation": {
        const placed = placedFields(ast, transformation)
        return this.record(placed.from, placed.fields, from)
      }
      case "ComposeTransformation":
        return this.value(ast.to, this.value(ast.from, from))
      case "FinalTransformation": {
        const decode = (value: unknown) => {
          const decoded = transformation.decode(value, AST.defaultParseOption, ast, value)
          return Either.isEither(decoded) && Either.isRight(decoded) ? decoded.right : doubt
        }
        const base = this.value(ast.from, from)
        const into = this.name()
        this.lines.push(`const ${into} = ${this.give(decode)}(${base})`)
        this.when(`${into} !== doubt`, into)
        return this.value(ast.to, into)
      }
    }
  }

  private when(condition: string, result: string): string {
    this.lines.push(`if (!(${condition})) return doubt`)
    return result
  }

  private give(value: unknown): string {
    return `given[${this.given.push(value) - 1}]`
  }

  private name(): string {
    this.names += 1
    return `v${this.names}`
  }
}

/** Checks that are written out; all others are called. */
const checks: ReadonlyMap<unknown, (value: string) => string> = new Map([
  [Schema.IntSchemaId, (value) => `Number.isSafeInteger(${value})`],
  [Schema.FiniteSchemaId, (value) => `Number.isFinite(${value})`]
])

/** How a check is written out; undefined for one that is to be called. */
export const checkOf = ({ annotations }: AST.Refinement) => checks.get(annotations[AST.SchemaIdAnnotationId])

/** Of a list whose entries are all alike. */
export const itemOf = ({ elements, rest }: AST.TupleType): AST.AST => {
  const [item, ...others] = rest
  if (item === undefined || others.length > 0 || elements.length > 0) throw new Unwritable("tuple")
  return item.type
}

/** What can be told of a union without any doubt: one of some words, its first schema, or that one or null. */
export const unionOf = (
  ast: AST.Union
): { readonly first: AST.AST; readonly kind: "literals" | "first" | "orNull" } => {
  const [first, ...others] = ast.types
  if (first === undefined) throw new Unwritable("never")
  if (ast.types.every(AST.isLiteral)) return { first, kind: "literals" }
  // A schema with a literal field is tried before others, wherever it stands.
  if (others.some(hasLiteral)) throw new Unwritable("tagged union")
  // Of the others, only null can be told from the first without any doubt.
  return { first, kind: !others.some(isNull) || mayBeNull(first) ? "first" : "orNull" }
}

/** The fields of a record that changes some of them, in the order in which it answers them. */
export const placedFields = (
  { from, to }: AST.Transformation,
  { propertySignatureTransformations }: AST.TypeLiteralTransformation
) => {
  if (!AST.isTypeLiteral(from) || !AST.isTypeLiteral(to)) throw new Unwritable("record")
  const order = to.propertySignatures.map(({ name }) => name)
  const fields = fieldsOf(from, propertySignatureTransformations)
  return { from, fields: [...fields].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) }
}

/** The fields of a record as they are, and those that are changed behind them. */
export const fieldsOf = (
  { propertySignatures }: AST.TypeLiteral,
  transformations: ReadonlyArray<AST.PropertySignatureTransformation>
): ReadonlyArray<Field> => {
  const changed = new Map(transformations.map((one) => [one.from, one]))
  const nameOf = (name: PropertyKey) => {
    if (typeof name !== "string") throw new Unwritable("symbol")
    return name
  }
  const kept = propertySignatures.flatMap(({ isOptional, name, type }): ReadonlyArray<Field> => {
    if (changed.has(name)) return []
    return [{ name: nameOf(name), type, otherwise: isOptional ? "absent" : "doubt" }]
  })
  const types = new Map(propertySignatures.map(({ name, type }) => [name, type]))
  const others = transformations.map(({ decode, from, to }): Field => {
    const type = types.get(from)
    if (type === undefined || from !== to) throw new Unwritable("renamed field")
    return { name: nameOf(from), type: withoutNull(type), otherwise: otherwiseOf(decode) }
  })
  return [...kept, ...others]
}

/** What a field's transformation makes of nothing, of null, and of a value, which it must leave as it is. */
const otherwiseOf = (decode: AST.PropertySignatureTransformation["decode"]): Field["otherwise"] => {
  const value = {}
  const ofNothing = decode(Option.none())
  const ofNull = decode(Option.some(null))
  if (Option.getOrUndefined(decode(Option.some(value))) !== value) throw new Unwritable("transformed field")
  if (Option.isNone(ofNothing) && Option.isNone(ofNull)) return "nullable"
  if (Option.isSome(ofNothing) && Option.isSome(ofNull)) return () => Option.getOrThrow(decode(Option.none()))
  throw new Unwritable("transformed field")
}

/** A value that is there and not null, of what may also be null or undefined. */
const withoutNull = (ast: AST.AST): AST.AST => {
  if (!AST.isUnion(ast)) throw new Unwritable("field without null")
  const types = ast.types.filter((type) => !isNull(type) && !AST.isUndefinedKeyword(type))
  return AST.Union.make(types)
}

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

const mayBeNull = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "StringKeyword":
    case "NumberKeyword":
    case "BooleanKeyword":
    case "TypeLiteral":
    case "TupleType":
      return false
    case "Refinement":
    case "Transformation":
      return mayBeNull(ast.from)
    default:
      return true
  }
}

const hasLiteral = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.some(({ type }) => AST.isLiteral(type) || AST.isUnion(type))
    case "Refinement":
    case "Transformation":
      return hasLiteral(ast.from)
    case "Union":
      return ast.types.some(hasLiteral)
    default:
      return false
  }
}
