import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Output from "../../../src/cli/terminal/Output.js"
import * as Wrap from "../../../src/reporting/Wrap.js"

const wipe = "\r\u001b[2K"

/** A terminal so many columns wide, as a person sees it: what was wiped is gone. */
const screen = (columns: number) => {
  let seen = ""
  const stream = {
    isTTY: true,
    columns,
    write: (text: string | Uint8Array) => {
      const [first = "", ...others] = String(text).split(wipe)
      seen = others.reduce((all, part) => all.slice(0, all.lastIndexOf("\n") + 1) + part, seen + first)
      return true
    }
  }
  return { stream, lines: () => seen.split("\n") }
}

describe("a line that is redrawn", () => {
  it("never shares a line with text, on stdout or stderr, and goes on below it", () => {
    const { lines, stream } = screen(40)
    const terminal = Output.terminalOn(stream, stream)
    terminal.redraw("bids [███░░] 3/5")
    terminal.err("About 12 calls.\n")
    terminal.redraw("bids [████░] 4/5")
    terminal.out("Plan 1\n", true)
    expect(lines()).toEqual(["About 12 calls.", "Plan 1", "bids [████░] 4/5"])
    terminal.redraw("")
    terminal.err("done\n")
    expect(lines()).toEqual(["About 12 calls.", "Plan 1", "done", ""])
  })

  it("is no wider than the terminal, where a second line of it could not be wiped", () => {
    const { lines, stream } = screen(12)
    Output.terminalOn(stream, stream).redraw("recommendations [███░░] 3/5")
    expect(lines()).toEqual(["recommendat"])
  })
})

describe("answers for programs", () => {
  const silent = { out: () => {}, err: () => {}, isColoured: false }
  it("are told apart by version and kind, which no field of an answer can stand in for", async () => {
    const told: Array<string> = []
    const printed = (one: Effect.Effect<void>) =>
      Effect.runPromise(Output.into({ ...silent, out: (text) => told.push(text) })(one))
    await printed(Output.json("plan", { kind: "bid", version: 7, more: 1 }))
    await printed(Output.jsonLine("pack", { kind: "sgtin", more: 1 }))
    expect(told.map((one) => JSON.parse(one))).toEqual([
      { version: Output.jsonVersion, kind: "plan", more: 1 },
      { version: Output.jsonVersion, kind: "pack", more: 1 }
    ])
  })
})

describe("text for people", () => {
  it("is broken at words where the terminal ends, and continues further in", () => {
    const { lines, stream } = screen(24)
    Output.terminalOn(stream, stream).out("  кеды женские белые: ставка 120 → 132 ₽\n", true)
    expect(lines()).toEqual(["  кеды женские белые:", "    ставка 120 → 132 ₽", ""])
  })

  it("continues below its second column", () => {
    expect(Wrap.lines("  plan   shows every change first", 24)).toBe(
      "  plan   shows every\n         change first"
    )
  })

  it("stays as it is for programs, in a pipe, and where somebody copies it", () => {
    const { lines, stream } = screen(10)
    const json = '{"a": "one two three four"}\n'
    Output.terminalOn(stream, stream).out(json, false)
    const pipe = { write: stream.write }
    Output.terminalOn(pipe, pipe).out("one two three four\n", true)
    Output.terminalOn(stream, stream).out("  bidhelm apply plan.json --yes\n", true)
    expect(lines()).toEqual([json.trim(), "one two three four", "  bidhelm apply plan.json --yes", ""])
  })

  it("counts what a letter takes: colours and combining marks nothing, wide letters two", () => {
    expect(Wrap.widthOf("\u001b[1mкеды\u001b[22m")).toBe(4)
    expect(Wrap.widthOf("и\u0306")).toBe(1)
    expect(Wrap.widthOf("靴下")).toBe(4)
    expect(Wrap.lines("\u001b[1mone two\u001b[22m three", 8)).toBe("\u001b[1mone two\u001b[22m\n  three")
  })
})
