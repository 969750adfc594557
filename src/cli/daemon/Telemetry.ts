/**
 * Export of traces, figures and the log to an OpenTelemetry collector, as JSON over HTTP. Loaded only when the
 * configuration asks for it. What leaves is redacted once more, and a gauge that is not known leaves nothing.
 */
import * as Otlp from "@effect/opentelemetry/Otlp"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as HttpBody from "@effect/platform/HttpBody"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redact from "../../domain/Redact.js"
import * as StoreAway from "../../runtime/StoreAway.js"
import type * as Config from "../config/Config.js"
import { stop } from "../terminal/Stop.js"
import { version } from "../terminal/Version.js"

export interface Options {
  /** Base address of the collector; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How often is sent; 15 s unless set. */
  readonly everyMs?: number
}

/** What a configuration says of it, with the headers read from the environment. */
export const optionsOf = (
  telemetry: NonNullable<Config.Config["telemetry"]>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Options, ReturnType<typeof stop>> => {
  const { headersFrom, otlp: url } = telemetry
  if (headersFrom === undefined) return Effect.succeed({ url, headers: {} })
  return Either.match(headersOf(environment[headersFrom]), {
    onLeft: (why) => Effect.fail(stop(1, `the environment variable ${headersFrom} ${why}`)),
    onRight: (headers) => Effect.succeed({ url, headers })
  })
}

/** `name=value,name=value`, as OTEL_EXPORTER_OTLP_HEADERS is written. A problem never repeats the text. */
const headersOf = (text: string | undefined): Either.Either<Readonly<Record<string, string>>, string> => {
  if (text === undefined || text === "") return Either.left("is not set; put the headers into it")
  const headers: Record<string, string> = {}
  for (const part of text.split(",")) {
    const [, name, value] = /^\s*([\w-]{1,100})\s*=\s*([\x20-\x7e]{1,4000}?)\s*$/.exec(part) ?? []
    if (name === undefined || value === undefined)
      return Either.left("is not written as name=value,name=value")
    headers[name] = value.replace(/%20/g, " ")
  }
  return Either.right(headers)
}

/** Runs an effect with its spans, log and figures exported. Call it on the machine's clock: collectors live by that. */
export const exported =
  ({ everyMs = 15_000, headers, url }: Options) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provide(sifted(effect), layer({ everyMs, headers, url }))

const layer = ({ everyMs, headers, url }: Required<Options>) =>
  Otlp.layer({
    baseUrl: url,
    headers,
    resource: { serviceName: "bidhelm", serviceVersion: version },
    shutdownTimeout: "2 seconds",
    loggerExportInterval: everyMs,
    metricsExportInterval: everyMs,
    tracerExportInterval: everyMs
  }).pipe(Layer.provide(serialization), Layer.provide(NodeHttpClient.layerUndici))

/** A store that is away floods the collector no more than the log. */
const sifted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentLoggers), (loggers) =>
    Effect.locally(effect, FiberRef.currentLoggers, HashSet.map(loggers, StoreAway.sifted))
  )

const serialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: (data) => HttpBody.unsafeJson(Redact.value(data)),
  logs: (data) => HttpBody.unsafeJson(Redact.value(data)),
  metrics: (data) => HttpBody.unsafeJson(Redact.value(withoutUnknown(data)))
})

/** A figure that is not a number would arrive as null, which collectors read as zero. */
const withoutUnknown = (data: unknown): unknown => {
  if (Array.isArray(data)) return data.filter((one) => !isUnknownPoint(one)).map(withoutUnknown)
  if (!Predicate.isRecord(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, withoutUnknown(value)]))
}

const isUnknownPoint = (one: unknown): boolean =>
  Predicate.isRecord(one) && typeof one.asDouble === "number" && Number.isNaN(one.asDouble)
