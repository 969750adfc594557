/** What a call by hand waits for before its request leaves, told to whoever waits with it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ScaledClock from "../../domain/ScaledClock.js"
import * as When from "../../domain/When.js"
import type { Entry } from "../../services/Catalogue.js"
import { Limiter, MaxWait } from "../../services/Limiter.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type { Chosen } from "../account/Account.js"
import * as Duration from "../terminal/Duration.js"
import * as Output from "../terminal/Output.js"

/** Nobody asks what a command does for so long; the machine's milliseconds. */
const shortMs = 5_000

/** Says until when the call limit keeps a call back. One that would wait for longer than is agreed to ends by itself. */
export const told = ({ id, limitGroup }: Pick<Entry, "id" | "limitGroup">, { config, name }: Chosen) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    const nowMs = yield* Clock.currentTimeMillis
    const until = (yield* (yield* Limiter).states).find(
      ({ bucket }) =>
        bucket.account === name && bucket.limitGroup === limitGroup && bucket.tokenKind === tokenKind
    )?.nextAt
    if (until === undefined || until - nowMs > (yield* MaxWait)) return
    if (until - nowMs <= (yield* ScaledClock.ofMachine(shortMs))) return
    yield* Output.note(
      `${id} waits for its call limit (${limitGroup}) until ${When.text(until, config.timeZone)}, ${Duration.format(until - nowMs)}; nothing is sent before. --max-wait bounds the wait.`
    )
  })
