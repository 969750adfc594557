/** What `Schema.ts` says about a place in a file: its keys, its words, its descriptions. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Path } from "./CursorPlace.js"

/** Everything a value may be: the members of unions, taken apart. */
export type Shape = ReadonlyArray<AST.AST>

export interface Key {
  readonly name: string
  readonly isNeeded: boolean
  readonly shape: Shape
  readonly about: string
}

/** The shape of the value a path leads to; empty where the schema knows no such place. */
export const at = (schema: Schema.Schema.All, path: Path): Shape =>
  path.reduce<Shape>(
    (shape, step) => (typeof step === "number" ? items(shape) : valueOf(shape, step)),
    members(schema.ast)
  )

/** The keys of a map of this shape. */
export const keys = (shape: Shape): ReadonlyArray<Key> =>
  shape.filter(AST.isTypeLiteral).flatMap((map) =>
    map.propertySignatures.map(({ isOptional, name, type }) => ({
      name: String(name),
      isNeeded: !isOptional,
      shape: members(type),
      about: about([type])
    }))
  )

/** The words a value of this shape must be one of. */
export const words = (shape: Shape): ReadonlyArray<string> =>
  shape.flatMap((one) =>
    AST.isLiteral(one) && one.literal !== null
      ? [String(one.literal)]
      : AST.isBooleanKeyword(one)
        ? ["true", "false"]
        : []
  )

/** What may be written, as the schema shows it. */
export const examples = (shape: Shape): ReadonlyArray<string> =>
  shape.flatMap((one) => {
    const schema = Option.getOrUndefined(AST.getJSONSchemaAnnotation(one))
    const found: unknown = schema !== undefined && "examples" in schema ? schema.examples : undefined
    return Array.isArray(found) ? found.map(String) : []
  })

export const isMap = (shape: Shape): boolean => shape.length > 0 && shape.every(AST.isTypeLiteral)
export const isList = (shape: Shape): boolean => shape.length > 0 && shape.every(AST.isTupleType)

/** What the value a path leads to is for. */
export const aboutAt = (schema: Schema.Schema.All, path: Path): string => {
  const last = path.at(-1)
  const key = keys(at(schema, path.slice(0, -1))).find(({ name }) => name === last)
  return key?.about ?? about(at(schema, path))
}

/** The first description there is, outermost first. */
const about = (shape: Shape): string => {
  for (const one of shape) {
    const own = Option.getOrUndefined(AST.getDescriptionAnnotation(one))
    if (own !== undefined && !isOfLibrary(own)) return own
  }
  const inner = shape.flatMap((one) => (AST.isUnion(one) ? one.types : []))
  return inner.length === 0 ? "" : about(inner)
}

/** The library describes its own `string`, `number` and the like. */
const isOfLibrary = (text: string): boolean => /^an? (string|number|boolean)$/.test(text)

const members = (ast: AST.AST): Shape =>
  AST.isUnion(ast)
    ? ast.types.filter((one) => !AST.isUndefinedKeyword(one)).flatMap(members)
    : AST.isRefinement(ast) || AST.isTransformation(ast)
      ? members(ast.from)
      : [ast]

const items = (shape: Shape): Shape =>
  shape
    .filter(AST.isTupleType)
    .flatMap((list) => [...list.elements, ...list.rest])
    .flatMap(({ type }) => members(type))

const valueOf = (shape: Shape, key: string): Shape => {
  const maps = shape.filter(AST.isTypeLiteral)
  const named = maps.flatMap((map) => map.propertySignatures.filter(({ name }) => name === key))
  const found = named.length > 0 ? named : maps.flatMap((map) => map.indexSignatures)
  return found.flatMap(({ type }) => members(type))
}
