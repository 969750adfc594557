/** Due times through the queue that the store keeps: the product's own entity and cluster, with cycles that do nothing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SellerAccount from "../../src/runtime/SellerAccount.js"
import { AccountWork } from "../../src/runtime/SellerAccount.js"
import * as Several from "../../src/runtime/Several.js"
import * as Single from "../../src/runtime/Single.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { freePort, pause } from "./Machinery.js"

export const databases = ["SQLite", "PostgreSQL"] as const

export interface Measured {
  readonly handled: number
  /** Until the last one was stored, while others were handled already. */
  readonly storedPerSecond: number
  /** Until the last one was handled and its answer stored. */
  readonly perSecond: number
  /** Of this process for each message; the database server's is not in it. */
  readonly cpuMs: number
}

/** Spread over so many accounts, as their due times are. */
const accounts = 200
const patienceMs = 300_000

export const measure = (database: (typeof databases)[number], messages: number): Promise<Measured> =>
  database === "SQLite" ? sqlite(messages) : postgres(messages)

const sqlite = async (messages: number) => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-scale-"))
  const store = SqliteClient.layer({ filename: join(folder, "store.sqlite") })
  try {
    return await through(Layer.provide(Single.layer(), store), messages)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const postgres = async (messages: number) => {
  const Postgres = await import("../../test/store/Postgres.js")
  const PgClient = await import("../../src/store/clients/PgClient.js")
  const server = await Postgres.start()
  try {
    const client = PgClient.plain({ url: await server.fresh(), password: Redacted.make(Postgres.password) })
    // Runners agree in the store before they join.
    const store = Layer.provideMerge(Migrations.layer, client)
    const listen = { host: "127.0.0.1", port: await freePort() }
    return await through(
      Layer.provide(Several.layer({ listen, shards: 60, lockSeconds: 35 }), store),
      messages
    )
  } finally {
    await server.remove()
  }
}

const idle = {
  state: "idle",
  runningSince: undefined,
  stoppedWhy: undefined,
  retryAt: undefined,
  last: undefined,
  rulesVersion: undefined
} as const

const through = <E>(
  cluster: Layer.Layer<Layer.Layer.Success<ReturnType<typeof Single.layer>>, E>,
  messages: number
) => {
  let handled = 0
  const work = Layer.succeed(AccountWork, {
    runDue: () =>
      Effect.sync(() => {
        handled++
        return { outcome: "ran", said: "nothing to change" } as const
      }),
    over: () => Effect.succeed(undefined),
    status: () => Effect.succeed(idle),
    wake: () => Effect.void,
    drain: () => Effect.void
  })
  const asked = Effect.gen(function* () {
    const client = yield* SellerAccount.client
    // The first message waits until the runner has its shards; it is not counted.
    yield* client.run({ account: "shop-0", lane: "ads" }, { job: "00-first", dueAt: 0 })
    handled = 0
    const before = { at: performance.now(), cpu: process.cpuUsage() }
    const send = (i: number) =>
      client.send({ account: `shop-${i % accounts}`, lane: "ads" }, { job: "01-raise", dueAt: i })
    yield* Effect.forEach(
      Array.from({ length: messages }, (_, i) => i),
      send,
      { concurrency: accounts, discard: true }
    )
    const stored = performance.now()
    yield* Effect.promise(async () => {
      while (handled < messages && performance.now() < stored + patienceMs) await pause(5)
    })
    const { system, user } = process.cpuUsage(before.cpu)
    const ended = performance.now()
    // A message that is handled twice would come now.
    yield* Effect.sleep("1500 millis")
    return {
      handled,
      storedPerSecond: (messages * 1000) / (stored - before.at),
      perSecond: (messages * 1000) / (ended - before.at),
      cpuMs: (user + system) / 1000 / messages
    }
  })
  const layer = SellerAccount.layer("bench").pipe(Layer.provide(work), Layer.provideMerge(cluster))
  return Effect.runPromise(Effect.provide(asked, layer))
}
