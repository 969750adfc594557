/**
 * Runners that reach the database and not each other: an account has one owner all the same, and what nobody could
 * announce is found. Their connections to one another lead through proxies, which the runners do not know.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { build } from "esbuild"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Accounts from "../runtime/Accounts.js"
import * as Postgres from "../store/Postgres.js"
import * as Proxy from "./Proxy.js"
import { freePort } from "./Waiting.js"

const bundle = join(process.cwd(), "node_modules", ".cache", `bidhelm-partition-${process.pid}`)

/** Every connection to a port of this table goes to the other one. */
const detour = `import net from "node:net"
const to = JSON.parse(process.env.DETOUR)
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...given) {
  const options = Array.isArray(given[0]) ? given[0][0] : given[0]
  if (typeof options === "object" && options !== null && to[options.port]) {
    options.port = to[options.port]
    process.stdout.write("on a detour\\n")
  }
  return connect.apply(this, given)
}
`

beforeAll(async () => {
  await build({
    entryPoints: ["test/runtime/Runner.ts"],
    outfile: join(bundle, "Runner.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning"
  })
  mkdirSync(bundle, { recursive: true })
  writeFileSync(join(bundle, "detour.mjs"), detour)
})
afterAll(async () => {
  await Postgres.end()
  rmSync(bundle, { recursive: true, force: true })
})

const children: Array<ChildProcess> = []
let proxies: ReadonlyArray<Proxy.Proxy> = []
let heard = ""
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  await Promise.all(proxies.map((proxy) => proxy.close()))
})

/** Three places for runners; whoever wants to reach one goes through its proxy. */
const places = async (url: string) => {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  proxies = await Promise.all(ports.map((port) => Proxy.start(port)))
  const table = JSON.stringify(Object.fromEntries(ports.map((port, at) => [port, proxies[at]?.port])))
  const start = async (at: number, takesMs: number, send = 0) => {
    const words = ["--import", join(bundle, "detour.mjs"), join(bundle, "Runner.mjs")]
    const rest = [url, Postgres.password, String(ports[at]), String(takesMs), String(send)]
    const child = spawn(process.execPath, [...words, ...rest], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, DETOUR: table }
    })
    children.push(child)
    let said = ""
    child.stderr.on("data", (part: Buffer) => {
      said += String(part)
    })
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (part: Buffer) => {
        said += String(part)
        heard += String(part)
        if (/^sent$/m.test(said)) resolve()
      })
      child.once("exit", (code) => reject(new Error(`the runner ended with ${code}: ${said}`)))
    })
  }
  return { start, ports: ports.map(String) }
}

const asking = <A, E>(url: string, ask: Effect.Effect<A, E, Effect.Effect.Context<typeof Accounts.turns>>) =>
  Effect.runPromise(Effect.provide(ask, PgClient.layer({ url, password: Redacted.make(Postgres.password) })))

const of = (turns: ReadonlyArray<Accounts.Turn>, phase: Accounts.Turn["phase"]) =>
  turns.filter((turn) => turn.phase === phase)

const fresh = async () => {
  const url = await (await Postgres.shared()).fresh()
  await asking(url, Accounts.table)
  return url
}

describe("runners that cannot reach each other", () => {
  for (const fault of ["stall", "cut"] as const) {
    it(`have one owner for every lane of an account, before, meanwhile and after (${fault})`, async () => {
      const url = await fresh()
      const { start } = await places(url)
      await Promise.all([start(0, 3_000, 12), start(1, 3_000, 12)])
      await asking(
        url,
        Accounts.until((turns) => of(turns, "begun").length >= 6)
      )
      for (const proxy of proxies) proxy[fault]()
      await start(2, 3_000)
      const turns = await asking(
        url,
        Accounts.until((found) => of(found, "ended").length >= 12)
      )
      for (const proxy of proxies) proxy.heal()
      const all = Array.from({ length: 6 }, (_, i) => [`shop-${i}`, `shop-${i}, orders`]).flat()
      expect(of(turns, "ended").map(({ account }) => account)).toEqual(all)
      expect(of(turns, "begun").map(({ account }) => account)).toEqual(all)
    })

    it(`find a due time of which nobody could tell them (${fault})`, async () => {
      const url = await fresh()
      const { ports, start } = await places(url)
      await start(0, 0)
      for (const proxy of proxies) proxy[fault]()
      // The accounts are the first one's until the second has joined, and half of them afterwards.
      await start(1, 0, 12)
      const turns = await asking(
        url,
        Accounts.until((found) => of(found, "ended").length >= 12)
      )
      expect(of(turns, "begun")).toHaveLength(12)
      expect(of(turns, "ended").some(({ runner }) => runner === ports[0])).toBe(true)
    })
  }

  it("were on the detour in these stories", () => {
    expect(heard).toContain("on a detour")
  })
})
