/**
 * A kind that `src` does not know goes through plan, journal, send, read-back, undo, recovery after a kill, approval and
 * history. The program is the product's own, built with a list of kinds that has one more.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as MemoryFolder from "../../MemoryFolder.js"
import type * as Program from "./Program.js"
import * as Shop from "./Shop.js"

const here = resolve("test/kinds/price")
// Where its packages are found.
const program = resolve("node_modules/.cache/bidhelm", `price-${process.pid}.mjs`)
let folder: string
let shop: Shop.Shop
let store = 0

/** `Parts` and `All` of this folder take the place of the product's; what they import themselves stays. */
const oneMoreKind: Plugin = {
  name: "one more kind",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/(Parts|All)\.js$/ }, ({ importer, path, resolveDir }) => {
      const file = resolve(resolveDir, path)
      const isKinds = /src\/engine\/kinds\/(Parts|All)\.js$/.test(file)
      return isKinds && !importer.startsWith(here)
        ? { path: join(here, file.endsWith("Parts.js") ? "Parts.ts" : "All.ts") }
        : undefined
    })
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(MemoryFolder.path, "bidhelm-price-"))
  await build({
    entryPoints: [join(here, "Program.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
    define: { BIDHELM_VERSION: '"trial"' },
    banner: {
      js: `import{createRequire as __createRequire}from"node:module";const require=__createRequire("${here}/x");`
    },
    external: ["@photostructure/sqlite"],
    plugins: [oneMoreKind]
  })
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(program, { force: true })
})

beforeEach(async () => {
  store += 1
  shop = await Shop.open([
    [1001, 50_000],
    [1002, 70_000]
  ])
  return () => shop.close()
})

const argumentsOf = (words: ReadonlyArray<string | number>): ReadonlyArray<string> => [
  join(folder, `${store}.sqlite`),
  shop.url,
  ...words.map(String)
]

/** Runs a command to its end, with a store opened anew. */
const run = async (...words: ReadonlyArray<string | number>): Promise<unknown> => {
  const module: typeof Program = await import(pathToFileURL(program).href)
  return module.run(argumentsOf(words))
}

/** Runs a command as a process that kills itself at a point of the journal; answers its signal and what it has told. */
const killed = (words: ReadonlyArray<string | number>, stopAt: string): Promise<readonly unknown[]> =>
  new Promise((done) => {
    const env = { ...process.env, BIDHELM_STOP_AT: stopAt }
    const child = execFile(process.execPath, [program, ...argumentsOf(words)], { env }, (_, stdout) =>
      done([child.signalCode, stdout])
    )
  })

const applied = { states: ["applied"], recovered: [], runId: expect.stringMatching(/^run-/) }

describe("a kind that only tests know", () => {
  it("is planned, journaled, sent, read back, told by the history and undone", async () => {
    const first = await run("apply", 1001, 50_000, 45_000)
    expect(first).toEqual(applied)
    const { runId } = first as { readonly runId: string }
    expect(await run("history", runId)).toMatch(/item\/1001 .*price 500 ₽ → 450 ₽/)
    expect(await run("undo", runId)).toEqual(applied)
    expect(shop.ledger).toEqual([
      { item: 1001, before: 50_000, after: 45_000 },
      { item: 1001, before: 45_000, after: 50_000 }
    ])
  })

  it("is left alone when somebody has changed the value since the plan, and when it was taken back by hand", async () => {
    expect(await run("apply", 1001, 49_000, 45_000)).toMatchObject({ states: ["skipped"] })
    const { runId } = (await run("apply", 1002, 70_000, 65_000)) as { readonly runId: string }
    shop.prices.set(1002, 71_000)
    expect(await run("undo", runId)).toEqual([expect.stringContaining("changed by someone")])
    expect(shop.ledger).toEqual([{ item: 1002, before: 70_000, after: 65_000 }])
  })

  it("waits for a person where its policy asks one, and goes once that person agrees", async () => {
    expect(await run("ask", 1001, 50_000, 45_000)).toEqual({
      atOnce: 0,
      asked: [expect.stringMatching(/^notable: /)]
    })
    expect(shop.ledger).toEqual([])
    expect(await run("approve")).toEqual(applied)
    expect(shop.ledger).toEqual([{ item: 1001, before: 50_000, after: 45_000 }])
  })

  it.each([
    ["begun", "price skipped", 0],
    ["dispatching", "price not_applied", 0],
    ["answered", "price applied", 1]
  ])("is settled by the next run after a kill at %s: %s", async (point, end, sent) => {
    expect(await killed(["apply", 1001, 50_000, 45_000], point)).toEqual(["SIGKILL", ""])
    const next = await run("apply", 1002, 70_000, 65_000)
    expect(next).toMatchObject({ states: ["applied"], recovered: [end] })
    expect(shop.ledger.filter(({ item }) => item === 1001)).toHaveLength(sent)
    expect(shop.ledger.filter(({ item }) => item === 1002)).toHaveLength(1)
  })
})
