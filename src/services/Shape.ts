/**
 * The shape of a request or an answer as one line for people: `{limit: 1..1000, next: integer ≥ 0}`. Read from the
 * schema that also checks it, so that it cannot promise anything else.
 */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** One named part of a request: a path parameter, a query parameter, or a field of the body. */
export interface Field {
  readonly name: string
  readonly shape: string
  readonly required: boolean
}

/** What a person writes: texts that stand for numbers and lists are shown as those. */
export const written = (ast: AST.AST): AST.AST => AST.typeAST(ast)

/** What goes over the wire. */
export const onWire = (ast: AST.AST): AST.AST => AST.encodedBoundAST(ast)

/** The fields of a record; none when it is something else. */
export const fields = (ast: AST.AST): ReadonlyArray<Field> => {
  const inner = withoutRefinements(ast)
  if (inner._tag === "Union") {
    const records = inner.types.map(fields).filter((list) => list.length > 0)
    return records[0] ?? []
  }
  return inner._tag !== "TypeLiteral"
    ? []
    : inner.propertySignatures.map((property) => ({
        name: String(property.name),
        shape: line(property.type),
        required: !property.isOptional
      }))
}

/** The whole shape in one line. */
export const line = (ast: AST.AST): string => shape(ast, [])

/** A shape over several lines where it is too long for one: one field a line, nested records indented. */
export const wrapped = (text: string, width = 100): string => {
  const at = text.indexOf("{")
  const end = closing(text, at)
  if (text.length <= width || at < 0 || end === undefined) return text
  const inner = parts(text.slice(at + 1, end)).map((part) =>
    wrapped(part, width - 2).replaceAll("\n", "\n  ")
  )
  return `${text.slice(0, at)}{\n  ${inner.join(",\n  ")}\n}${wrapped(text.slice(end + 1), width)}`
}

/** Where the brace at `from` closes. */
const closing = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let i = from; i >= 0 && i < text.length; i++) {
    if (text[i] === "{") depth++
    if (text[i] === "}" && --depth === 0) return i
  }
  return undefined
}

/** Splits at the commas of the outermost level. */
const parts = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if ("{[".includes(text[i] ?? "")) depth++
    if ("}]".includes(text[i] ?? "")) depth--
    if (depth !== 0 || !text.startsWith(", ", i)) continue
    found.push(text.slice(start, i))
    start = i + 2
  }
  return [...found, text.slice(start)]
}

const shape = (ast: AST.AST, bounds: ReadonlyArray<object>): string => {
  switch (ast._tag) {
    case "Refinement":
      return shape(ast.from, [...bounds, boundsOf(ast)])
    case "Transformation":
      return shape(ast.to, bounds)
    case "Suspend":
      return shape(ast.f(), bounds)
    case "StringKeyword":
      return text(Object.assign({}, ...bounds))
    case "NumberKeyword":
      return number(Object.assign({}, ...bounds))
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return ast.literal === null ? "null" : JSON.stringify(ast.literal)
    case "Union":
      return alternatives(ast.types)
    case "TupleType":
      return list(ast, Object.assign({}, ...bounds))
    case "TypeLiteral":
      return record(ast)
    case "VoidKeyword":
    case "UndefinedKeyword":
      return "nothing"
    case "Declaration":
      return "file"
    default:
      return "anything"
  }
}

const record = (ast: AST.TypeLiteral): string => {
  const named = fields(ast).map(({ name, required, shape }) => `${name}${required ? "" : "?"}: ${shape}`)
  const keyed = ast.indexSignatures.map(({ type }) => `…: ${line(type)}`)
  return named.length + keyed.length === 0 ? "anything" : `{${[...named, ...keyed].join(", ")}}`
}

const alternatives = (types: ReadonlyArray<AST.AST>): string => {
  const shapes = [...new Set(types.filter((type) => type._tag !== "UndefinedKeyword").map(line))]
  return shapes.filter((one) => one !== "null" || shapes.length === 1).join(" | ")
}

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly type?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  /** What a pattern takes. */
  readonly words?: string
}

const boundsOf = (ast: AST.Refinement): object => {
  const bounds = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  return "pattern" in bounds ? { words: Option.getOrUndefined(AST.getDescriptionAnnotation(ast)) } : bounds
}

const number = (bounds: Bounds): string => {
  const kind = bounds.type === "integer" ? "integer" : "number"
  const least = bounds.minimum ?? (bounds.exclusiveMinimum === 0 && kind === "integer" ? 1 : undefined)
  if (least !== undefined && bounds.maximum !== undefined) return `${least}..${bounds.maximum}`
  if (least !== undefined) return `${kind} ≥ ${least}`
  return bounds.maximum === undefined ? kind : `${kind} ≤ ${bounds.maximum}`
}

const text = ({ maxLength, minLength, words }: Bounds): string => {
  if (words !== undefined) return words
  if (minLength !== undefined && minLength === maxLength) return `text of ${minLength} characters`
  if (maxLength !== undefined) return `text of ${minLength ?? 0}..${maxLength} characters`
  return minLength === undefined || minLength === 0 ? "text" : `text of ${minLength} or more characters`
}

const list = (ast: AST.TupleType, { maxItems, minItems }: Bounds): string => {
  const item = ast.rest[0]
  const least = Math.max(minItems ?? 0, ast.elements.length)
  const bounds = maxItems !== undefined ? `${least}..${maxItems} ` : least > 0 ? `${least} or more ` : ""
  return `[${bounds}${bounds === "" ? "" : "× "}${item === undefined ? "anything" : line(item.type)}]`
}

const withoutRefinements = (ast: AST.AST): AST.AST =>
  ast._tag === "Refinement" ? withoutRefinements(ast.from) : ast
