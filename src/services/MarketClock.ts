/** How far the clock at hand is from the marketplace's, by the `Date` of its latest answer. */
import * as Effect from "effect/Effect"
import * as ScaledClock from "../domain/ScaledClock.js"
import * as When from "../domain/When.js"
import type { Answer } from "./Answer.js"

/** How far the clocks may be apart, the machine's milliseconds: a token's expiry and the day's borders depend on them. */
export const maxApartMs = 30_000

export interface MarketClock {
  /** Hears an answer to a request that was sent then, epoch milliseconds. The first that is too far away is told in the log. */
  readonly heard: (answer: Pick<Answer, "ageMs" | "madeAtMs">, sentMs: number) => Effect.Effect<void>
  /** Milliseconds that the clock at hand is ahead of the marketplace's, negative where it is behind; undefined where they agree, or no answer said. */
  readonly aheadMs: Effect.Effect<number | undefined>
}

/** Of one account. */
export const make = (account: string): MarketClock => {
  let aheadMs: number | undefined
  return {
    heard: ({ ageMs, madeAtMs }, sentMs) =>
      Effect.clockWith((clock) => {
        // A copy says when it was made for somebody else.
        if (madeAtMs === undefined || ageMs !== undefined) return Effect.void
        const mostMs = maxApartMs * ScaledClock.speedOf(clock)
        const nowMs = clock.unsafeCurrentTimeMillis()
        const apartMs = madeAtMs < sentMs ? sentMs - madeAtMs : Math.min(0, nowMs - madeAtMs)
        const agreed = aheadMs === undefined
        aheadMs = Math.abs(apartMs) > mostMs ? apartMs : undefined
        return aheadMs === undefined || !agreed
          ? Effect.void
          : Effect.logWarning(
              `${account}: ${When.apart(aheadMs)}; until it is set (NTP) the rules make no deposit, and while the two name different days they make nothing dearer and stop nothing by figures of today, which nobody knows`
            )
      }),
    aheadMs: Effect.sync(() => aheadMs)
  }
}
