import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Account from "../../../src/cli/account/Account.js"
import * as ScaledClock from "../../../src/domain/ScaledClock.js"

const at = 1_788_000_000_000

/** A sandbox whose first answer was twelve of its seconds on the way. */
const slowAtFirst = () => {
  let asked = 0
  return HttpClient.make((request) =>
    Effect.sync(() => {
      const nowMs = asked++ === 0 ? at - 12_000 : at
      return HttpClientResponse.fromWeb(request, Response.json({ nowMs, speed: 60 }))
    })
  )
}

/** Its first answers were on their way for nearly half of the machine's seconds each. */
const slowFor = (answers: number) => {
  let asked = 0
  return HttpClient.make((request) =>
    Effect.promise(async () => {
      const nowMs = at + performance.now() * 60
      if (asked++ < answers) await new Promise((wake) => setTimeout(wake, 400))
      return HttpClientResponse.fromWeb(request, Response.json({ nowMs, speed: 60 }))
    })
  )
}

/** Breaks the first connection. */
const brokenAtFirst = () => {
  let asked = 0
  return HttpClient.make((request) =>
    asked++ === 0
      ? Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
      : Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ nowMs: at, speed: 1 })))
  )
}

const toldBy = (sandbox: HttpClient.HttpClient) =>
  Clock.currentTimeMillis.pipe(
    Effect.provide(Account.sandboxClockOf("http://sandbox.test")),
    Effect.provideService(HttpClient.HttpClient, sandbox),
    Effect.runPromise
  )

it("is not behind the sandbox's by the way of an answer that took long", async () => {
  expect(await toldBy(slowAtFirst())).toBeGreaterThanOrEqual(at)
})

it("is asked for until an answer came soon enough to know it closely", async () => {
  const sandbox = slowFor(5)
  const told = await toldBy(sandbox)
  expect(at + performance.now() * 60 - told).toBeLessThan(15_000)
})

it("is found by asking again when the connection broke", async () => {
  expect(await toldBy(brokenAtFirst())).toBeGreaterThanOrEqual(at)
})

/** Answers after a twentieth of the machine's seconds. */
const slow = HttpClient.make((request) =>
  Effect.promise(async () => {
    await new Promise((wake) => setTimeout(wake, 50))
    return HttpClientResponse.fromWeb(request, Response.json({ nowMs: at, speed: 1000 }))
  })
)

it("is waited for by the machine's clock, also by a program that lives by the sandbox's", async () => {
  const told = Clock.currentTimeMillis.pipe(
    Effect.provide(Account.sandboxClockOf("http://sandbox.test")),
    Effect.provideService(HttpClient.HttpClient, slow),
    Effect.withClock(ScaledClock.make({ speed: 1000 })),
    Effect.runPromise
  )
  expect(await told).toBeGreaterThanOrEqual(at)
})
