import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { buildSync } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/door/Journal.js"
import { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import { bucket, empty } from "./Child.js"
import { inFolder, store } from "./Fixture.js"

const bundle = resolve("node_modules/.cache/bidhelm/store-child.mjs")

beforeAll(() => {
  mkdirSync(resolve("node_modules/.cache/bidhelm"), { recursive: true })
  buildSync({
    entryPoints: [resolve("test/store/Child.ts")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    // The driver of PostgreSQL is CommonJS.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);'
    },
    external: ["@photostructure/sqlite", "pg-native"],
    logLevel: "error"
  })
})

const start = (...parts: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [bundle, ...parts], { stdio: ["ignore", "pipe", "inherit"] })

const ended = (child: ChildProcess) =>
  Effect.async<number | null>((resume) => {
    child.on("close", (code) => resume(Effect.succeed(code)))
  })

describe("several processes on one store", () => {
  it("create it together and lose none of each other's changes", async () => {
    const [codes, total] = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "bidhelm.db")
        const children = ["a", "b", "c"].map(() => start(file, "count", "200"))
        const exits = yield* Effect.all(children.map(ended), { concurrency: "unbounded" })
        const counted = Effect.flatMap(LimiterStore, (limits) =>
          limits.update(bucket, (stored = empty) => [stored.refusals, stored])
        )
        return [exits, yield* Effect.provide(counted, store({ filename: file }))] as const
      })
    )
    expect(codes).toEqual([0, 0, 0])
    expect(total).toBe(600)
  })
})

describe("a process killed without warning", () => {
  it("has on disk whatever it said it had recorded, and at most one change more", async () => {
    for (const acknowledged of [1, 40]) {
      const [said, stored] = await inFolder((path) =>
        Effect.gen(function* () {
          const file = join(path, "bidhelm.db")
          const child = start(file, "journal")
          let output = ""
          child.stdout?.on("data", (chunk) => {
            output += String(chunk)
            if (output.split("\n").length > acknowledged) child.kill("SIGKILL")
          })
          yield* ended(child)
          const rows = Effect.flatMap(Journal, (journal) => journal.rows("run 1"))
          return [
            output.split("\n").filter((line) => line !== ""),
            yield* Effect.provide(rows, store({ filename: file }))
          ] as const
        })
      )
      const sent = stored.filter((row) => row.state === "dispatching").map((row) => row.change.id)
      expect(stored).toHaveLength(5_000)
      expect(said.length).toBeGreaterThanOrEqual(acknowledged)
      expect(sent.slice(0, said.length)).toEqual(said)
      expect(sent.length - said.length).toBeLessThanOrEqual(1)
    }
  })
})
