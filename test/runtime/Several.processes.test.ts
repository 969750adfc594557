/** Several runners on one real PostgreSQL, as processes: what one leaves behind another takes up, once. */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { build } from "esbuild"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as StoreMarks from "../../src/store/audit/StoreMarks.js"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Postgres from "../store/Postgres.js"
import * as Accounts from "./Accounts.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const bundle = join(root, "node_modules", ".cache", `bidhelm-runner-${process.pid}`)

beforeAll(async () => {
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, "test/runtime/Runner.ts")],
    outfile: join(bundle, "Runner.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning"
  })
  await Postgres.shared()
})
afterAll(async () => {
  await Postgres.end()
  rmSync(bundle, { recursive: true, force: true })
})

const children: Array<ChildProcess> = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Starts a runner; ends when it has joined and sent. */
const runner = async (
  url: string,
  takesMs: number,
  send = 0,
  { at, shards = 20 }: { at?: number; shards?: number } = {}
) => {
  const port = at ?? (await freePort())
  const words = [
    join(bundle, "Runner.mjs"),
    url,
    Postgres.password,
    String(port),
    String(takesMs),
    String(send),
    String(shards)
  ]
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let said = ""
  child.stderr.on("data", (part: Buffer) => {
    said += String(part)
  })
  const joined = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (part: Buffer) => {
      said += String(part)
      if (/^sent$/m.test(said)) resolve()
    })
    child.once("exit", (code) => reject(new Error(`the runner ended with ${code}: ${said}`)))
  })
  return { child, port: String(port), joined }
}

const asking = <A, E>(url: string, ask: Effect.Effect<A, E, Effect.Effect.Context<typeof Accounts.turns>>) =>
  Effect.runPromise(Effect.provide(ask, PgClient.layer({ url, password: Redacted.make(Postgres.password) })))

const ended = (turns: ReadonlyArray<Accounts.Turn>) => turns.filter(({ phase }) => phase === "ended")

describe("several runners", () => {
  it("start at the same instant, share the lanes of accounts, and run a due time that all of them send once", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const runners = await Promise.all([runner(url, 0, 12), runner(url, 0, 12)])
    await Promise.all(runners.map(({ joined }) => joined))
    const turns = await asking(
      url,
      Accounts.until((found) => ended(found).length >= 12)
    )
    expect(ended(turns).map(({ account }) => account)).toEqual(
      Array.from({ length: 12 }, (_, i) => `shop-${i >> 1}${i % 2 === 0 ? "" : ", orders"}`).sort()
    )
    expect(turns.filter(({ phase }) => phase === "begun")).toHaveLength(12)
  })

  it("take up what a killed runner had begun, of each lane", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const first = await runner(url, 3_600_000, 4)
    await first.joined
    await asking(
      url,
      Accounts.until((turns) => turns.length === 4)
    )
    const second = await runner(url, 0)
    await second.joined
    first.child.kill("SIGKILL")
    const turns = await asking(
      url,
      Accounts.until((found) => ended(found).length === 4)
    )
    expect(ended(turns).map(({ account, runner }) => [account, runner])).toEqual(
      ["shop-0", "shop-0, orders", "shop-1", "shop-1, orders"].map((lane) => [lane, second.port])
    )
  })

  it("turn away one that holds accounts otherwise, until they are gone", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const first = await runner(url, 0)
    await first.joined
    const other = () => runner(url, 0, 0, { shards: 21 })
    await expect((await other()).joined).rejects.toThrow(
      `cannot join the others: it has shards: 21, lock_seconds: 6, and 127.0.0.1:${first.port} has shards: 20, lock_seconds: 6`
    )
    await (await runner(url, 0)).joined
    for (const child of children) child.kill("SIGKILL")
    await expect((await other()).joined).rejects.toThrow("counts as gone after 6 s")
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    await (await other()).joined
  })

  it("turn away one of another version that holds accounts by other locks", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const says = (detail: string) =>
      asking(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => StoreMarks.put(sql, "runners", "", Date.now(), detail))
      )
    const address = "127.0.0.1:1"
    await says(JSON.stringify({ heldBy: "advisory-1", shards: 20, lockSeconds: 6, address }))
    await expect((await runner(url, 0)).joined).rejects.toThrow(
      `${address} is of another version, which holds accounts otherwise (advisory-1; this one rows-1)`
    )
    await says("{}")
    await expect((await runner(url, 0)).joined).rejects.toThrow(
      "a runner is of another version, which holds accounts otherwise (in words that cannot be read; this one rows-1)"
    )
  })

  it("turn away the one of two that start together and hold accounts otherwise", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const both = await Promise.all([runner(url, 0), runner(url, 0, 0, { shards: 21 })])
    const joined = await Promise.allSettled(both.map((one) => one.joined))
    expect(joined.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("say which address somebody else has", async () => {
    const url = await (await Postgres.shared()).fresh()
    await asking(url, Accounts.table)
    const other = createServer()
    const port = await new Promise<number>((resolve) =>
      other.listen(0, "127.0.0.1", () => resolve((other.address() as AddressInfo).port))
    )
    const { joined } = await runner(url, 0, 0, { at: port })
    await expect(joined).rejects.toThrow(`it cannot listen at 127.0.0.1:${port}: listen EADDRINUSE`)
    other.close()
  })
})
