/** An answer in the wire's spelling, as the documentation has it. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Entry } from "../../services/Catalogue.js"

/** What cannot be spelt is given as it is. */
export const of = (entry: Entry): ((answer: unknown) => unknown) => {
  const encode = Schema.encodeUnknownOption(entry.endpoint.successSchema as Schema.Schema<unknown, unknown>)
  return (answer) => Option.getOrElse(encode(answer), () => answer)
}
