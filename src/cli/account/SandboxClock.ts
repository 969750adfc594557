/**
 * The clock of an account. A real account has the machine's; a sandbox account has the sandbox's, which may run many
 * times faster: otherwise days, delays and limits of the two would not meet.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import { stop } from "../terminal/Stop.js"

const Reading = Schema.Struct({ nowMs: Schema.Number, speed: Schema.Number.pipe(Schema.positive()) })

/** Asks a sandbox for its clock. */
export const layerOf = (host: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { ahead: first, speed } = yield* look(host)
      let ahead = first
      for (let more = 1; more < looks; more++) ahead = Math.max(ahead, (yield* look(host)).ahead)
      return ScaledClock.layer({ speed, originMs: Math.floor(ahead + machineMs() * speed) })
    }).pipe(
      Effect.mapError((error) =>
        stop(
          1,
          `no sandbox answers at ${host} (${error.message}); start one with: bidhelm sandbox --port ${new URL(host).port}`
        )
      )
    )
  )

/**
 * An answer is old by its way here, and a first one by the loading of what reads it: a tenth of a second is six of a
 * sandbox's. Two processes that are so far apart would share a limit badly, so the freshest of a few is believed.
 */
const looks = 4

/** How far the sandbox's clock is ahead of as many times the machine's, or more: its answer was on its way. */
const look = (host: string) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const { nowMs, speed } = yield* http.get(`${host}/_sandbox/clock`).pipe(
      Effect.flatMap((response) => response.text),
      Effect.flatMap((text) =>
        Effect.mapError(Json.read(text), (why) => stop(1, `its clock's answer is ${why}`))
      ),
      Effect.flatMap(Schema.decodeUnknown(Reading)),
      Effect.timeout("5 seconds"),
      // One that has just been started, or that closed the connection it was to come by, answers the next time.
      Effect.retry(Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(3)))
    )
    return { ahead: nowMs - machineMs() * speed, speed }
  })

const machine = Clock.make()
const machineMs = (): number => Number(machine.unsafeCurrentTimeNanos()) / 1e6
