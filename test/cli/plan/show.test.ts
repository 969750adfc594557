/** `bidhelm show`, in a folder without a configuration: no account and no network is asked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Program from "../../../src/cli/Program.js"
import { Document } from "../../../src/engine/decide/PlanJson.js"
import * as PlanDocument from "../../../src/reporting/PlanDocument.js"
import * as HtmlPreview from "../../../src/reporting/preview/HtmlPreview.js"
import * as MarkdownPreview from "../../../src/reporting/preview/MarkdownPreview.js"
import * as TextPreview from "../../../src/reporting/preview/TextPreview.js"
import { bigPlan } from "../../reporting/bigPlan.js"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-show-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (...words: ReadonlyArray<string>) => {
  const said: { out: string; err: string } = { out: "", err: "" }
  const add = (to: "out" | "err") => (text: string) => {
    said[to] += text
  }
  const code = await Effect.runPromise(Program.within(words, { out: add("out"), err: add("err") }))
  return { code, ...said }
}

const saved = (name: string, plan: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(plan))
  return path
}

const plan = bigPlan(60)
const encoded = Schema.encodeSync(Document)(PlanDocument.of(plan))

it("prints a saved plan as plan prints a new one, in every format", async () => {
  const path = saved("plan.json", encoded)
  expect(await run("show", path)).toEqual({
    code: 0,
    out: TextPreview.render(plan, { colour: false }),
    err: ""
  })
  expect((await run("show", path, "--top", "3", "--group", "rule", "--sort", "change")).out).toBe(
    TextPreview.render(plan, { colour: false, top: 3, group: "rule", sort: "change" })
  )
  expect((await run("show", path, "--format", "markdown", "--all")).out).toBe(
    MarkdownPreview.render(plan, { all: true })
  )
  expect((await run("show", path, "--format", "html")).out).toBe(HtmlPreview.render(plan))
  expect(JSON.parse((await run("show", path, "--json")).out)).toEqual(encoded)
})

it("says that a file was edited, and lets nothing in it steer the terminal", async () => {
  const [first, ...others] = encoded.changes
  const evil = { ...first!, campaignName: "Куртки\u001b[2J", policy: "03\u001b]0;x\u0007" }
  const edited = { ...encoded, account: "a\u009b2J", changes: [evil, ...others] }
  const { code, err, out } = await run("show", saved("edited.json", edited))
  expect(code).toBe(0)
  expect(err).toContain("edited.json was changed after it was made; apply will not take it as it is.")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

it("refuses what is no plan, and options that contradict each other", async () => {
  expect(await run("show", saved("no.json", { version: 1 }))).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("is no plan of version 2. Make one with: bidhelm plan --out")
  })
  const path = saved("plan.json", encoded)
  expect((await run("show", path, "--all", "--top", "3")).err).toContain(
    "--all and --top contradict each other"
  )
  expect((await run("show", path, "--top", "0")).err).toContain("--top is a whole number from 1 on")
})
