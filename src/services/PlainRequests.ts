/**
 * A quick way to write requests that are plainly as declared. A schema checks each entry of a list several times on its
 * way out: for a thousand items a call that was more than all else a call made. What the reader of the same schema
 * doubts, the schema writes, or refuses in its own words.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as PlainAnswers from "./PlainAnswers.js"

/** A payload's schema that writes as the given one does; for a client alone, as it tells nothing of its fields. */
export const of = (payload: Schema.Schema.All): Schema.Schema.All => {
  const { ast } = payload
  const isAsTyped = AST.typeAST(ast) === ast
  if (!isAsTyped || AST.isUnion(ast) || HttpApiSchema.getEncoding(ast).kind !== "Json") return payload
  const encode = ParseResult.encodeUnknown(payload as Schema.Schema.AnyNoContext)
  return Schema.declare([], {
    decode: () => (value) => ParseResult.succeed(value),
    encode: () => (value, options) => {
      const written = PlainAnswers.reader(ast)(value)
      return written === PlainAnswers.doubt ? encode(value, options) : ParseResult.succeed(written)
    }
  })
}
