/** What Node warns of is a line of the log, as long as anything of the program is open; afterwards it is Node's again. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as DaemonLog from "../../src/cli/daemon/DaemonLog.js"

/** Node tells listeners a tick later. */
const warn = (text: string) =>
  Effect.promise(async () => {
    process.emitWarning(text, { type: "DeprecationWarning", code: "DEP_TEST" })
    await new Promise((wake) => setImmediate(wake))
  })

const lines = async (work: Effect.Effect<unknown>, level: DaemonLog.Options["level"] = "info") => {
  const written: Array<Record<string, unknown>> = []
  const keep = (line: string) => written.push(JSON.parse(line) as Record<string, unknown>)
  await Effect.runPromise(DaemonLog.writing({ format: "json", level }, keep)(work))
  return written
}

describe("a warning of Node", () => {
  it("is one structured line, and nothing of it goes to stderr", async () => {
    const before = process.listeners("warning")
    const [line, ...more] = await lines(
      Effect.zipRight(
        warn("do not do this"),
        Effect.sync(() => expect(process.listeners("warning")).toHaveLength(1))
      )
    )
    expect(line).toEqual({
      at: expect.any(String),
      level: "warning",
      message: "Node.js warns: DeprecationWarning: do not do this",
      event: "node_warning",
      warning: "DeprecationWarning",
      code: "DEP_TEST"
    })
    expect(more).toEqual([])
    expect(process.listeners("warning")).toEqual(before)
  })

  it("says at the level debug where it comes from", async () => {
    const [line] = await lines(warn("do not do this"), "debug")
    expect(line?.stack).toMatch(/NodeWarnings\.test/)
  })

  it("is heard while the program closes down what it opened", async () => {
    const written: Array<string> = []
    const work = Effect.addFinalizer(() => warn("late"))
    const logged = DaemonLog.writing({ format: "json", level: "info" }, (line) => written.push(line))(work)
    await Effect.runPromise(Effect.scoped(logged))
    expect(written).toHaveLength(1)
  })
})
