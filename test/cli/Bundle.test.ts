import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Bundle from "./Bundle.js"

const folder = mkdtempSync(join(tmpdir(), "bidhelm-bundle-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the folder in which the tests' program is built", () => {
  it("is made by one worker, also where nothing is above it yet", () => {
    const building = join(folder, "never", "made", "program.building")
    expect(Bundle.claims(building)).toBe(true)
    expect(Bundle.claims(building)).toBe(false)
  })

  it("is waited for by nobody where it cannot be made", () => {
    writeFileSync(join(folder, "file"), "")
    expect(() => Bundle.claims(join(folder, "file", "program.building"))).toThrow()
  })
})
