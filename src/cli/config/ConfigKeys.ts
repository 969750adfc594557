/** The keys of `bidhelm.yaml` that its schema does not know, told without repeating what may be a secret. */
import type * as SchemaAST from "effect/SchemaAST"
import type { Problems } from "../../engine/language/problems/Diagnostic.js"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import type * as Node from "../../engine/language/yaml/Node.js"
import type * as Source from "../../engine/language/yaml/Source.js"

/** What may be said where a secret is; a map that knows only these holds the place of one. */
export const places: ReadonlyArray<string> = ["env", "file"]

/** The name of an environment variable as most write it. A token has small letters, too. */
export const variable = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/

/**
 * Compares the keys of every map with those its schema knows. Answers what no excerpt may show of the unknown ones:
 * whatever stands under them, and a key that may be a secret itself.
 */
export const unknown = (
  node: Node.Node,
  ast: SchemaAST.AST,
  problems: Problems
): ReadonlyArray<Source.Range> => {
  const shape = shapeOf(ast)
  if (node._tag === "List" && shape._tag === "TupleType") {
    const element = shape.elements[0]?.type ?? shape.rest[0]?.type
    return element === undefined ? [] : node.items.flatMap((item) => unknown(item, element, problems))
  }
  if (node._tag !== "Map" || shape._tag !== "TypeLiteral") return []
  const names = shape.propertySignatures.map(({ name }) => String(name))
  const isOfSecret = names.every((name) => places.includes(name))
  return node.entries.flatMap(({ key, keyRange, value }) => {
    const property = shape.propertySignatures.find(({ name }) => name === key)
    if (property !== undefined) return unknown(value, property.type, problems)
    const isTold = !isOfSecret && ordinary.test(key)
    const said = isTold ? `Unknown key "${key}".` : "Unknown key; it is not repeated, as it may be a secret."
    problems.error("K01", keyRange, `${said} ${Suggest.sentence(key, names)}`)
    return isTold ? written(value) : [keyRange, ...written(value)]
  })
}

/** Where the scalars of a value stand, its keys among them. */
export const written = (node: Node.Node | undefined): ReadonlyArray<Source.Range> => {
  if (node === undefined) return []
  if (node._tag === "Scalar") return [node.range]
  if (node._tag === "List") return node.items.flatMap(written)
  return node.entries.flatMap(({ keyRange, value }) => [keyRange, ...written(value)])
}

/** A misspelt key is a word; a token or a password has digits among its letters, or is longer. */
const ordinary = /^(?=.{1,30}$)\p{L}[\p{L}_-]*\d{0,2}$/u

const shapeOf = (ast: SchemaAST.AST): SchemaAST.AST => (ast._tag === "Refinement" ? shapeOf(ast.from) : ast)

/** Every key that the schema knows anywhere. */
export const names = (ast: SchemaAST.AST): ReadonlySet<string> => {
  const shape = shapeOf(ast)
  if (shape._tag === "TypeLiteral") {
    return new Set(shape.propertySignatures.flatMap(({ name, type }) => [String(name), ...names(type)]))
  }
  return shape._tag === "TupleType"
    ? new Set([...shape.elements, ...shape.rest].flatMap(({ type }) => [...names(type)]))
    : new Set()
}
