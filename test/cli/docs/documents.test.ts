import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Documents from "../../../src/cli/docs/Documents.js"
import * as Load from "../../../src/engine/language/Load.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")
const readme = readFileSync(join(root, "README.md"), "utf8")

describe("documents", () => {
  it.each(Object.entries(Documents.all()))(
    "%s says what the declarations say (npm run generate)",
    (path, text) => {
      expect(readFileSync(join(root, path), "utf8")).toBe(text)
    }
  )

  it("show a first rule that the program accepts", () => {
    const rule = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
    expect(rule).toContain("do: pause")
    expect(Load.check([{ path: "rules/pause-on-spend.yaml", text: rule }]).diagnostics).toEqual([])
  })
})
