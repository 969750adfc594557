/** `bidhelm limits`: what the store knows about every bucket. */
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BucketState } from "../services/Limiter.js"
import * as Duration from "./Duration.js"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"

export const command = Command.make("limits", Flags.session, (flags) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("./Account.js"))
    const { Limiter } = yield* Effect.promise(() => import("../services/Limiter.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const chosen = yield* Account.choose(flags)
    const read = Effect.gen(function* () {
      const limiter = yield* Limiter
      const states = yield* limiter.states
      const own = states.filter(({ bucket }) => bucket.account === chosen.name)
      const nowMs = yield* Clock.currentTimeMillis
      if (flags.json) {
        return yield* Output.json("limits", {
          account: chosen.name,
          buckets: own.map((s) => plain(s, nowMs))
        })
      }
      if (own.length === 0) return yield* Output.note("No calls yet: every limit is full.")
      yield* Output.data(table(own, nowMs))
    })
    yield* read.pipe(
      Effect.provide(Store.layer(chosen.config.storePath)),
      Effect.provide(Account.clock(chosen))
    )
  })
).pipe(Command.withDescription(help("limits")))

const frozenMs = (state: BucketState, nowMs: number): number =>
  state.frozenUntil === undefined ? 0 : Math.max(0, state.frozenUntil - nowMs)

const plain = (state: BucketState, nowMs: number) => ({
  limitGroup: state.bucket.limitGroup,
  tokenKind: state.bucket.tokenKind,
  burst: state.bucket.burst,
  intervalMs: state.bucket.intervalMs,
  available: state.available,
  inFlight: state.inFlight,
  frozenForMs: frozenMs(state, nowMs)
})

const table = (states: ReadonlyArray<BucketState>, nowMs: number): string => {
  const width = Math.max(...states.map((state) => state.bucket.limitGroup.length))
  return states
    .map((state) => {
      const { burst, intervalMs, limitGroup } = state.bucket
      const frozen = frozenMs(state, nowMs)
      const refused = frozen === 0 ? "" : `  refused by the marketplace for ${Duration.format(frozen)} more`
      return `${limitGroup.padEnd(width)}  ${state.available} of ${burst} now, one more every ${pace(intervalMs)}${refused}`
    })
    .join("\n")
}

const pace = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : Duration.format(ms))
