/** Telemetry costs nothing where nobody asked for it. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(join("src", path), "utf8") }))

const importers = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

describe("OpenTelemetry", () => {
  it("is named in one file, and that one is only loaded on demand", () => {
    expect(importers(/from "@effect\/opentelemetry/)).toEqual(["cli/daemon/Telemetry.ts"])
    expect(importers(/^import (?!type\b)[^\n]*\/Telemetry\.js"/m)).toEqual([])
    expect(importers(/import\("\.\/Telemetry\.js"\)/)).toEqual(["cli/daemon/Running.ts"])
  })
})
