/**
 * What a big account and a long history cost. `node dist/bench/load.js` starts a process of its own for each part, so
 * that peak memory is that part's; `plan items`, `plan clusters`, `plan manyClusters`, `plan optimise`, `journal sqlite` and
 * `journal postgres` are the parts. Ends with 1 when a goal was missed.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as V8 from "../../src/cli/plain/V8.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Journal from "./Journal.js"
import * as Planning from "./Planning.js"

const goals = { p95Ms: 200, chain: 1.3 }
/** Processor time and peak memory of a plan, and of how many campaigns. */
const plans: Readonly<
  Record<Planning.Kind, { readonly seconds: number; readonly peakMiB: number; readonly campaigns: number }>
> = {
  items: { seconds: 7, peakMiB: 400, campaigns: 10_000 },
  clusters: { seconds: 7, peakMiB: 400, campaigns: 10_000 },
  manyClusters: { seconds: 12, peakMiB: 400, campaigns: 10_000 },
  optimise: { seconds: 20, peakMiB: 512, campaigns: 1000 }
}
const times = 40

const say = (line: string, isMissed: boolean) => {
  process.stdout.write(`${line}${isMissed ? "  MISS" : ""}\n`)
  if (isMissed) process.exitCode = 1
}

const plan = async (kind: Planning.Kind, count = plans[kind].campaigns) => {
  const goal = plans[kind]
  const { campaigns, changes, clockSeconds, cpuSeconds, peakMiB, rows } = await Planning.measure(kind, count)
  say(
    `plan ${kind}: ${campaigns} campaigns, ${rows} rows, ${changes} changes: ${cpuSeconds.toFixed(1)} s of processor (≤ ${goal.seconds}), ${clockSeconds.toFixed(1)} s by the clock, ${peakMiB.toFixed(0)} MiB at most (≤ ${goal.peakMiB})`,
    cpuSeconds > goal.seconds || peakMiB > goal.peakMiB
  )
}

const tell = (database: string, asked: ReadonlyArray<Journal.Asked>) => {
  for (const { isBrowsing = true, p50Ms, p95Ms, question } of asked) {
    say(
      `${database}, ${Journal.rows} changes: ${question.padEnd(28)} p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms (≤ ${goals.p95Ms})`,
      isBrowsing && p95Ms > goals.p95Ms
    )
  }
}

const chain = async () => {
  const Chain = await import("./Chain.js")
  const { changes, withChain, without } = await Chain.compare()
  const ratio = withChain / without
  say(
    `audit chain: the store's part of applying ${changes} changes: ${withChain.toFixed(2)} s of processor, ${without.toFixed(2)} s without the chain: ${ratio.toFixed(2)} (≤ ${goals.chain})`,
    ratio > goals.chain
  )
}

const sqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-load-"))
  try {
    const file = SqliteClient.layer({ filename: join(folder, "store.sqlite") })
    tell("SQLite", await Effect.runPromise(Journal.measure(file, times)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const postgres = async () => {
  const Postgres = await import("../../test/store/Postgres.js")
  const PgClient = await import("../../src/store/clients/PgClient.js")
  const server = await Postgres.start()
  try {
    const options = { url: await server.fresh(), password: Redacted.make(Postgres.password) }
    tell("PostgreSQL", await Effect.runPromise(Journal.measure(PgClient.layer(options), times)))
  } finally {
    await server.remove()
  }
}

V8.tune()
const [part, what = "", count] = process.argv.slice(2)
if (part === "plan" && Planning.isKind(what))
  await plan(what, count === undefined ? undefined : Number(count))
else if (part === "chain") await chain()
else if (part === "journal") await (what === "postgres" ? postgres() : sqlite())
else {
  const parts = [
    "plan items",
    "plan clusters",
    "plan manyClusters",
    "plan optimise",
    "chain",
    "journal sqlite",
    "journal postgres"
  ]
  for (const one of parts) {
    const words = [fileURLToPath(import.meta.url), ...one.split(" ")]
    const { status } = spawnSync(process.execPath, words, { stdio: "inherit" })
    if (status !== 0) process.exitCode = 1
  }
}
