/** Orders as people type them. Their numbers exceed 32 bits, so they are read as text. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { OrderId } from "../../domain/Ids.js"
import { cleanLine } from "../../reporting/Clean.js"
import { stop } from "../terminal/Stop.js"

const decoded = Schema.decodeEither(OrderId)

/** Each once, as typed; all that are none are named at once. */
export const orders = (typed: ReadonlyArray<string>) => {
  const read = typed.map((text) => ({
    text,
    id: /^\d{1,16}$/.test(text.trim()) ? Either.getOrUndefined(decoded(Number(text))) : undefined
  }))
  const wrong = read.filter(({ id }) => id === undefined)
  return wrong.length > 0
    ? Effect.fail(
        stop(
          1,
          `${wrong.map(({ text }) => `"${cleanLine(text)}"`).join(", ")}: write the numbers of orders, such as 4000000001; bidhelm orders lists them`
        )
      )
    : Effect.succeed([...new Set(read.flatMap(({ id }) => (id === undefined ? [] : [id])))])
}
