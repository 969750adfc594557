import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Documents from "../../../src/cli/docs/Documents.js"
import type * as Assembly from "../../../src/engine/fulfilment/Assembly.js"
import * as Load from "../../../src/engine/language/Load.js"
import type * as LeftWords from "../../../src/reporting/fulfilment/LeftWords.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")
const readme = readFileSync(join(root, "README.md"), "utf8")

describe("documents", () => {
  it.each(Object.entries(Documents.all()))(
    "%s says what the declarations say (npm run generate)",
    (path, text) => {
      expect(readFileSync(join(root, path), "utf8")).toBe(text)
    }
  )

  it("name every code of what a command leaves alone, in `left` of its JSON", () => {
    const codes: Readonly<Record<LeftWords.AskedCode | Assembly.Why["code"], true>> = {
      changed_since_asked: true,
      cancelled_already: true,
      not_taken: true,
      left_alone: true,
      on_the_dock: true,
      status_unread: true,
      created_unknown: true,
      cancelled: true,
      no_policy: true,
      supply_not_listed: true,
      supply_unread: true,
      refused_before: true,
      supply_refused: true
    }
    const page = readFileSync(join(root, "docs/commands.md"), "utf8")
    for (const code of Object.keys(codes)) expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| \\S`, "m"))
  })

  it("show a first rule that the program accepts", () => {
    const rule = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
    expect(rule).toContain("do: pause")
    expect(Load.check([{ path: "rules/pause-on-spend.yaml", text: rule }]).diagnostics).toEqual([])
  })
})
