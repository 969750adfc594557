/** The half of the kind that touches the world: live values, requests, and how soon they can be seen. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BeforeSend } from "../../../src/domain/BeforeSend.js"
import * as Hash from "../../../src/domain/Hash.js"
import { type WriteOutcome, Writer } from "../../../src/engine/door/Writer.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type { Live } from "../../../src/engine/kinds/Seen.js"

export const layer = (url: string) =>
  Layer.succeed(Writer, {
    readLive: (changes) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/prices`)
        const prices = new Map((await response.json()) as ReadonlyArray<readonly [number, number]>)
        return new Map(changes.map((change) => [change.id, live(prices, change)]))
      }),
    batches: (changes) =>
      Effect.succeed(
        changes.map((change) => {
          const body = `${change.subject.itemId}/${change.after}`
          const outcome = (one: WriteOutcome) => new Map([[change.id, one]])
          return {
            operation: "setPrice",
            changes: [change],
            requestHash: Hash.of(body),
            send: Effect.flatten(BeforeSend).pipe(
              Effect.zipRight(Effect.promise(() => fetch(`${url}/prices/${body}`, { method: "POST" }))),
              Effect.as(outcome({ _tag: "Accepted" })),
              Effect.catchAll(({ reason }) => Effect.succeed(outcome({ _tag: "NotSent", reason })))
            )
          }
        })
      ),
    visibilityMs: () => 50,
    purse: () => Effect.succeed(undefined)
  })

const live = (prices: ReadonlyMap<number, number>, { subject }: Change): Live => {
  const value = prices.get(Number(subject.itemId))
  return value === undefined ? { _tag: "Gone", what: "item" } : { _tag: "Value", value }
}
