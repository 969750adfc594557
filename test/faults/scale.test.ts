/** The benchmark of scale itself, at a size that takes a minute: its figures mean nothing here, its workings do. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const bench = join(process.env.BIDHELM_TEST_BUNDLE ?? "dist", "bench", "scale.js")

const run = (...words: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
    const child = execFile(process.execPath, [bench, ...words], (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out: `${out}${err}` })
    )
  })

describe("bench/scale", () => {
  it("runs five accounts at their due times, each once, and tells what they took", async () => {
    const { code, out } = await run("accounts", "--accounts", "5", "--rounds", "1", "--speed", "30")
    expect(out).toContain("5 accounts, due every 10 min, 1 times: 5 cycles, 0 missed")
    expect(out).toMatch(/[1-9]\d* changes, 0 of them twice/)
    expect(out).toMatch(/processor per cycle: [1-9]\d* ms/)
    expect(code, out).toBe(0)
  })

  it("counts the messages that go through the queues of both databases", async () => {
    const { code, out } = await run("queue", "--messages", "40")
    expect(out).toMatch(/SQLite: 40 messages, [1-9]/)
    expect(out).toMatch(/PostgreSQL: 40 messages, [1-9]/)
    expect(code, out).toBe(0)
  })

  for (const fault of ["kill -9", "SIGSTOP"]) {
    it(`sees the accounts of a runner go to the other one after ${fault}`, async () => {
      const words = ["--times", "1", "--lock-seconds", "6", "--speed", "30", "--fault", fault]
      const { out } = await run("takeover", ...words)
      // How long it took is the machine's affair here.
      expect(out).toMatch(/first account min \d+\.\d s/)
      expect(out).toMatch(/the last of its accounts: min \d+\.\d s/)
    })
  }
})
