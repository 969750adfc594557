import { spawn } from "node:child_process"
import { beforeAll, describe, expect, it } from "vitest"
import * as Bundle from "../Bundle.js"

beforeAll(() => void Bundle.program(), Bundle.withinMs)

describe("a program whose reader went away", () => {
  it.each([
    ["stdout", ["call", "--list", "--json"], 0],
    ["stderr", ["plan", "--config", "nowhere.yaml"], 1]
  ] as const)("ends as it would with one that listens: %s", async (pipe, args, code) => {
    const child = spawn(process.execPath, [Bundle.program(), ...args])
    child[pipe].destroy()
    let said = ""
    child.stderr.on("data", (part) => {
      said += part
    })
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(code)
    expect(said).not.toContain("EPIPE")
  })
})
