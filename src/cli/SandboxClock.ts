/**
 * The clock of an account. A real account has the machine's; a sandbox account has the sandbox's, which may run many
 * times faster: otherwise days, delays and limits of the two would not meet.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ScaledClock from "../domain/ScaledClock.js"
import { LeaseTime } from "../engine/run/Lease.js"
import { stop } from "./Stop.js"

const Reading = Schema.Struct({ nowMs: Schema.Number, speed: Schema.Number.pipe(Schema.positive()) })

/** Asks a sandbox for its clock. */
export const layerOf = (host: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const { nowMs, speed } = yield* http
        .get(`${host}/_sandbox/clock`)
        .pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Reading)), Effect.timeout("5 seconds"))
      return Layer.merge(
        ScaledClock.layer({ speed, originMs: nowMs }),
        Layer.succeed(LeaseTime, leaseTimeAt(speed))
      )
    }).pipe(
      Effect.mapError(() =>
        stop(1, `no sandbox answers at ${host}; start one with: bidhelm sandbox --port ${new URL(host).port}`)
      )
    )
  )

/** A lease of the sandbox's half minute may be over before this machine has loaded a file; two real seconds are not. */
const leaseTimeAt = (speed: number) => ({
  leaseMs: Math.max(30_000, 2_000 * speed),
  graceMs: Math.max(15_000, 1_000 * speed)
})
