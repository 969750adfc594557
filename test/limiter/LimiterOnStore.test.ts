import { spawnSync } from "node:child_process"
import { hostname } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { inFolder, inMemory, store } from "../store/Fixture.js"
import { dice, make as makeServer } from "./StrictServer.js"

const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst: 3,
  intervalMs: 500,
  cost4xx: 1
}
const ok: Feedback = { status: 200, retryAfterMs: undefined, remaining: undefined }
const call = <E>(send: Effect.Effect<Feedback, E>) =>
  Effect.flatMap(Limiter, (limiter) =>
    limiter.call(bucket, send, (exit) => (exit._tag === "Success" ? exit.value : ok))
  )

const limiterOn = (filename: string, maxPages?: number) =>
  LimiterLive.layer.pipe(
    Layer.provideMerge(store({ filename, ...(maxPages === undefined ? {} : { maxPages }) }))
  )

describe("the limiter on the store", () => {
  it("keeps two openings of one file within one limit", async () => {
    const time = VirtualClock.make(1_000_000)
    const server = makeServer({ jitterMs: 40, random: dice(3) })
    await inFolder((path) => {
      const calls = Effect.all(
        Array.from({ length: 20 }, () => call(server.request(bucket))),
        { concurrency: "unbounded" }
      )
      const half = Effect.provide(calls, limiterOn(join(path, "bidhelm.db")))
      return time.run(Effect.all([half, half], { concurrency: 2 }))
    })
    expect(server.count()).toEqual({ arrived: 40, refused: 0 })
    expect(time.now() - 1_000_000).toBeLessThan(37 * 500 * 1.02)
  })

  it("remembers an emptied bucket when opened again", async () => {
    const time = VirtualClock.make(1_000_000)
    const server = makeServer({ jitterMs: 0, random: dice(3) })
    const burst = Effect.all([1, 2, 3].map(() => call(server.request(bucket))))
    await inFolder((path) => {
      const life = Effect.provide(burst, limiterOn(join(path, "bidhelm.db")))
      return time.run(Effect.zipRight(life, life))
    })
    expect(server.count()).toEqual({ arrived: 6, refused: 0 })
    expect(time.now() - 1_000_000).toBeGreaterThan(1_490)
  })

  it("sends nothing when it cannot record that it does, and says what to do", async () => {
    let sent = 0
    const failure = await inFolder((path) => {
      const filename = join(path, "bidhelm.db")
      const long = { ...bucket, limitGroup: "x".repeat(1_000_000) }
      const send = Effect.sync(() => {
        sent++
        return ok
      })
      return Effect.flip(Effect.flatMap(Limiter, (limiter) => limiter.call(long, send, () => ok))).pipe(
        Effect.provide(limiterOn(filename, 200))
      )
    })
    expect(failure.message).toMatch(
      /could not store the state of the limits: the disk is full; free some space/
    )
    expect(sent).toBe(0)
  })

  it("is never refused in real time either", async () => {
    const server = makeServer({ jitterMs: 5, random: dice(9) })
    const quick = { ...bucket, burst: 1, intervalMs: 40 }
    await inMemory(
      Effect.all(
        Array.from({ length: 20 }, () =>
          Effect.flatMap(Limiter, (limiter) => limiter.call(quick, server.request(quick), () => ok))
        ),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(LimiterLive.layer))
    )
    expect(server.count()).toEqual({ arrived: 20, refused: 0 })
  })
})

describe("the owner of a request in the air", () => {
  it("is alive while its process is, and another machine's always", async () => {
    const ended = spawnSync(process.execPath, ["-e", ""]).pid
    const alive = await inMemory(
      Effect.map(LimiterStore, (limits) =>
        [
          limits.owner,
          JSON.stringify([hostname(), process.pid, "other opening"]),
          JSON.stringify(["elsewhere", ended, "x"]),
          JSON.stringify([hostname(), ended, "x"])
        ].map(limits.alive)
      )
    )
    expect(alive).toEqual([true, true, true, false])
  })
})
