/** Several `bidhelm run` as real processes on one PostgreSQL, with several accounts at one sandbox process. */
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Postgres from "../store/Postgres.js"

const bundle = process.env.BIDHELM_TEST_BUNDLE ?? "dist"

/** Each with campaigns of its own. */
export const accounts = ["shop-1", "shop-2", "shop-3", "shop-4"]

const tokens = Object.fromEntries(
  accounts.map((_, i) => [
    `TOKEN_${i + 1}`,
    sandboxToken({ seller: `5a4d0000-0000-4000-8000-00000000001${i}` })
  ])
)

/** Five minutes, the step of the timetable, pass in ten seconds. */
const speed = 30

export interface Runner {
  readonly child: ChildProcess
  /** As the store names it. */
  readonly holder: RegExp
  readonly said: () => string
}

export interface Due {
  readonly account: string
  readonly job: string
  readonly due_at: number
  readonly state: string
  readonly run_id: string | null
  readonly detail: string | null
}

export class Runners {
  private readonly children: Array<ChildProcess> = []
  private constructor(
    readonly folder: string,
    readonly store: string,
    private sandbox = ""
  ) {}

  /** Starts the marketplace; no runner yet. */
  static async open(store: string): Promise<Runners> {
    const made = new Runners(mkdtempSync(join(tmpdir(), "bidhelm-runners-")), store)
    const words = [
      "--json",
      "--port",
      "0",
      "--speed",
      String(speed),
      "--scale",
      "campaigns=3,items=2,clusters=10"
    ]
    const { child, said } = made.spawn(made.folder, "sandbox", ...words)
    made.children.push(child)
    await until(() => /"url"\s*:\s*"([^"]+)"/.test(said()))
    made.sandbox = /"url"\s*:\s*"([^"]+)"/.exec(said())?.[1] ?? ""
    return made
  }

  /** Starts a runner; by default straight at the database. */
  async start(store = this.store): Promise<Runner> {
    const folder = mkdtempSync(join(this.folder, "runner-"))
    mkdirSync(join(folder, "rules"))
    for (const name of readdirSync("rules").filter((file) => /^(01-|02-|_shared)/.test(file))) {
      cpSync(join("rules", name), join(folder, "rules", name), { recursive: true })
      if (name.startsWith("0")) often(join(folder, "rules", name))
    }
    writeFileSync(
      join(folder, "bidhelm.yaml"),
      `version: 1
accounts:
${accounts.map((name, i) => `  - {name: ${name}, token: {env: TOKEN_${i + 1}}, sandbox: true}`).join("\n")}
hosts: {advert: "${this.sandbox}", calendar: "${this.sandbox}"}
store: "${store}"
store_password: {env: STORE_PASSWORD}
runner: {listen: "127.0.0.1:${await freePort()}", shards: 20, lock_seconds: 6}
`
    )
    const { child, said } = this.spawn(folder, "run")
    this.children.push(child)
    return { child, said, holder: new RegExp(`pid ${child.pid}\\b`) }
  }

  private spawn(cwd: string, ...args: ReadonlyArray<string>) {
    const child = spawn(process.execPath, [join(process.cwd(), relative(bundle), "bidhelm.js"), ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? "", STORE_PASSWORD: Postgres.password, ...tokens },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (part: Buffer) => (said += String(part)))
    return { child, said: () => said }
  }

  /** Slows an operation of the marketplace down, or all faults away without one. */
  async slow(operation?: string): Promise<void> {
    const faults = operation === undefined ? [] : [{ kind: "latency", operation, ms: 90_000 }]
    await fetch(`${this.sandbox}/_sandbox/faults`, { method: "POST", body: JSON.stringify({ faults }) })
  }

  /** What the marketplace accepted, one word each: the same word twice is the same effect twice. */
  async effects(): Promise<ReadonlyArray<string>> {
    const answer = await fetch(`${this.sandbox}/_sandbox/ledger`)
    const { entries } = (await answer.json()) as {
      readonly entries: ReadonlyArray<{ seller: string; slot: string; target: unknown; after: unknown }>
    }
    return entries.map(({ after, seller, slot, target }) => JSON.stringify([seller, slot, target, after]))
  }

  /** Answers of the store. */
  ask<A extends object>(text: string): Promise<ReadonlyArray<A>> {
    const asked = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(text))
    const password = Redacted.make(Postgres.password)
    return Effect.runPromise(
      Effect.provide(asked, PgClient.layer({ url: this.store, password, connections: 1 }))
    )
  }

  dues(): Promise<ReadonlyArray<Due>> {
    return this.ask<Due>("SELECT * FROM due_times ORDER BY account, lane, job, due_at")
  }

  /** Waits until every account has ended a due time that came after the last one known at the call. */
  async everyAccountRuns(): Promise<void> {
    const newest = Math.max(0, ...(await this.dues().catch(() => [])).map(({ due_at }) => due_at))
    await until(async () => {
      const done = (await this.dues().catch(() => [])).filter(
        ({ due_at, state }) => state === "done" && due_at > newest
      )
      return accounts.every((name) => done.some(({ account }) => account === name))
    })
  }

  /** The runner that has a change in the air right now; throws when none has for long, with what they said. */
  async busy(runners: ReadonlyArray<Runner>): Promise<Runner> {
    for (let asked = 0; asked < 2_000; asked++) {
      const holders = await this.ask<{ holder: string }>(
        `SELECT holder FROM locks WHERE account IN (SELECT account FROM changes WHERE state = 'dispatching')`
      ).catch(() => [])
      const found = runners.find(({ holder }) => holders.some((lock) => holder.test(lock.holder)))
      if (found !== undefined) return found
      await pause(50)
    }
    throw new Error(
      `no runner sends anything:\n${runners.map(({ said }) => said().slice(-2_000)).join("\n\n")}`
    )
  }

  close(): void {
    for (const child of this.children) child.kill("SIGKILL")
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const relative = (path: string) => (path.startsWith(process.cwd()) ? path.slice(process.cwd().length) : path)

const often = (path: string) => {
  const text = readFileSync(path, "utf8")
  writeFileSync(
    path,
    text
      .replace(/^schedule: .*$/m, "schedule: {every: 5m, tz: Europe/Moscow}")
      .replace(/^mode: .*$/m, "mode: apply")
      .replace(/^hold_for: .*\n/m, "")
  )
}

export const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

export const until = async (reached: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await reached())) await pause(100)
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
