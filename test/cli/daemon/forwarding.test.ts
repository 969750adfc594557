/** Which commands a running program takes over, and which it must not. */
import { describe, expect, it } from "vitest"
import * as Forwarding from "../../../src/cli/daemon/Forwarding.js"
import { commands } from "../../../src/cli/terminal/Commands.js"

const words = (line: string): ReadonlyArray<string> => line.split(" ")

describe("a running program", () => {
  it.each([
    ...["plan", "apply --yes", "history RUN", "call listOrders", "hold", "resolve RUN CHANGE --paid"],
    ...["undo RUN --out undo.json", "undo --out=undo.json RUN", "undo RUN --dry-run"],
    ...["apply plan.json --yes", "apply --account main p -y"],
    ...[
      "orders",
      "orders history 1",
      "orders marks import m.csv --yes",
      "supplies deliver 1 --plan",
      "units 1"
    ]
  ])("takes over: %s", (line) => {
    expect(Forwarding.isTaken(words(line))).toBe(true)
    expect(Forwarding.asks(words(line))).toBe(false)
  })

  it.each(["run", "status", "check", "fmt", "sandbox", "lsp", "init", "demo", "orders marks check m.csv"])(
    "leaves alone: %s",
    (line) => {
      expect(Forwarding.isTaken(words(line))).toBe(false)
    }
  )

  it.each([
    "apply",
    "apply --all",
    "apply --account=main",
    "apply plan.json",
    "apply --json p",
    "undo RUN",
    "undo RUN --only policy=p --rules out",
    "supplies deliver 1",
    "orders cancel 1 2",
    "orders marks import m.csv",
    "units add 1 2"
  ])("never asks anybody: %s", (line) => {
    expect(Forwarding.asks(words(line))).toBe(true)
  })

  it("lets nobody restore the store under it", () => {
    expect(Forwarding.isExclusive(words("restore backup.sqlite"))).toBe(true)
    expect(Forwarding.isTaken(words("restore backup.sqlite"))).toBe(false)
  })

  it.each([
    "--log-level debug apply --yes",
    "--log-level=debug apply --yes",
    "apply --log-level debug --yes"
  ])("is not passed by, wherever the level of the log is named: %s", (line) => {
    expect(Forwarding.wordsOf(words(line))).toEqual(["apply", "--yes"])
  })

  it("knows of every command whether it runs there", () => {
    // Those that need no store, look at it only, or are the program themselves.
    const alone = "demo init check fmt test backtest run status backup sandbox doctor lsp schema show".split(
      " "
    )
    const known = Object.keys(commands).filter(
      (name) => !Forwarding.isTaken([name]) && !Forwarding.isExclusive([name])
    )
    expect(known.sort()).toEqual(alone.sort())
  })

  it("is found by the configuration that the command names", () => {
    expect(Forwarding.configOf(words("plan --config other.yaml"))).toBe("other.yaml")
    expect(Forwarding.configOf(words("plan --config=other.yaml"))).toBe("other.yaml")
    expect(Forwarding.configOf(words("plan --all"))).toBe("bidhelm.yaml")
  })
})
