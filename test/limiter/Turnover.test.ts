import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { layerMemory } from "./LimiterMemory.js"

const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst: 1_000,
  intervalMs: 1,
  cost4xx: 1
}

const answered: Feedback = { status: 200, retryAfterMs: undefined, remaining: undefined }

it("forgets nobody who comes at the very moment the last of the queue has gone", async () => {
  const limiter = Layer.provide(LimiterLive.layer, layerMemory())
  const one = Effect.flatMap(Limiter, (at) => at.call(bucket, Effect.void, () => answered))
  // Fibers take turns after every so many steps, so that one comes at each step of the other's leaving.
  const both = (steps: number, late: number) =>
    Effect.all([one, Effect.zipRight(Effect.repeatN(Effect.yieldNow(), late), one)], { concurrency: 2 }).pipe(
      Effect.withMaxOpsBeforeYield(steps),
      Effect.timeoutTo({ duration: "3 seconds", onSuccess: () => "served", onTimeout: () => "forgotten" }),
      Effect.provide(limiter)
    )
  for (let steps = 16; steps < 64; steps++)
    for (let late = 0; late < 12; late++)
      expect([steps, late, await Effect.runPromise(both(steps, late))]).toEqual([steps, late, "served"])
})
