/**
 * The sandbox on real HTTP for a test, asked with plain `fetch`. Its clock stands still until the test advances it,
 * so what is seen when does not depend on how busy the machine is.
 */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import type { Service } from "../../src/sandbox/Service.js"

/** An answer's body, looked into freely by the tests. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on what came over the wire, whatever its type.
export type Json = any

export interface Asked {
  readonly body?: unknown
  readonly token?: string
  /** Sends this text instead of JSON. */
  readonly raw?: string
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export interface Marketplace {
  readonly url: string
  readonly sandbox: Service
  /** Lets the marketplace's time pass. */
  readonly advance: (ms: number) => void
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answered>
}

/** 20 November 2026, 15:00 in Moscow. */
export const originMs = Date.parse("2026-11-20T12:00:00Z")
const token = sandboxToken()

/** Runs a test against a fresh marketplace on loopback, whose time stands still. */
export const withMarketplace = (
  options: Sandbox.Options,
  test: (marketplace: Marketplace) => Promise<void>
): Promise<void> => {
  const clock = handClock(originMs)
  const live = Sandbox.serve({ port: 0 }).pipe(
    Layer.provideMerge(Sandbox.layer({ originMs, ...options })),
    Layer.provideMerge(Layer.setClock(clock))
  )
  return Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const sandbox = yield* Sandbox.Sandbox
    const url = `http://127.0.0.1:${server.address._tag === "TcpAddress" ? server.address.port : 0}`
    yield* Effect.promise(() => test({ url, sandbox, ask: asker(url), advance: clock.advance }))
  }).pipe(Effect.provide(live), Effect.runPromise)
}

const asker =
  (url: string): Marketplace["ask"] =>
  async (method, path, asked = {}) => {
    const body = asked.raw ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body))
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${asked.token ?? token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const handClock = (startMs: number): Clock.Clock & { readonly advance: (ms: number) => void } => {
  let nowMs = startMs
  const real = Clock.make()
  const millis = () => nowMs
  const nanos = () => BigInt(nowMs) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: real.sleep,
    advance: (ms) => {
      nowMs += ms
    }
  }
}
