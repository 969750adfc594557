/** What `bidhelm status` says of an account: one thing, and never two that contradict each other. */
import { describe, expect, it } from "vitest"
import * as RunStatus from "../../src/cli/RunStatus.js"

const nowMs = Date.parse("2026-09-01T06:00:00Z")
const minute = 60_000

const said = (
  account: Partial<RunStatus.AccountStatus>,
  program: Partial<RunStatus.Status> = {}
): ReadonlyArray<string> => {
  const whole = { account: "shop", state: "idle", lagMs: 0, waiting: [], ...account }
  const status = {
    pid: 7,
    runner: "pid 7 on desk",
    config: "bidhelm.yaml",
    zone: "Europe/Moscow",
    nowMs,
    rulesVersion: "3f2a9c"
  }
  const known = RunStatus.read({ ...status, isStopping: false, ...program, accounts: [whole] })
  if (known === undefined) throw new Error("not a status of this version")
  return RunStatus.text(known).split("\n")
}
const raise = { policy: "01-raise", dueAt: nowMs - 2 * minute }

describe("an account", () => {
  it("of which nothing is due is idle until its next due time, in the configuration's zone", () => {
    expect(said({ nextDueAt: nowMs + 60 * minute })).toEqual([
      "bidhelm run, pid 7, bidhelm.yaml, rules 3f2a9c; times of Europe/Moscow",
      "shop: idle until 2026-09-01 10:00 (in 60 min)"
    ])
    expect(said({})[1]).toBe("shop: idle: no policy has a schedule")
  })

  it("of which something is due waits for its turn and is not idle", () => {
    const lines = said({ waiting: [raise], lagMs: 2 * minute, nextDueAt: nowMs + 60 * minute })
    expect(lines.slice(1)).toEqual([
      "shop: waiting for its turn, 2 min behind; next due 2026-09-01 10:00 (in 60 min)",
      "  due now: 01-raise"
    ])
    expect(lines.join()).not.toContain("idle")
  })

  it.each(["waiting for its turn", "planning", "sending", "reading back"])(
    "whose cycle runs is %s",
    (doing) => {
      expect(said({ state: "running", doing, runningSince: nowMs - minute, waiting: [raise] })[1]).toBe(
        `shop: ${doing}, since 2026-09-01 08:59`
      )
    }
  )

  it("that waits after trouble says when it tries again, and why", () => {
    const lines = said({
      state: "waiting",
      stoppedWhy: "the token was refused",
      retryAt: nowMs + 15 * minute,
      waiting: [raise]
    })
    expect(lines.slice(1)).toEqual([
      "shop: waiting after trouble, tries again at 2026-09-01 09:15",
      "  due now: 01-raise",
      "  stopped: the token was refused"
    ])
  })

  it("names its runner when that is another process", () => {
    expect(said({ runner: "pid 7 on desk" })).toHaveLength(2)
    expect(said({ runner: "pid 7 on shop-b" }).at(-1)).toBe("  runner: pid 7 on shop-b")
  })

  it("says what its last cycle came to, without a word for those that ran", () => {
    const at = nowMs - minute
    expect(said({ last: { at, outcome: "ran", said: "applied (3 applied)" } }).at(-1)).toBe(
      "  last: 2026-09-01 08:59 applied (3 applied)"
    )
    expect(said({ last: { at, outcome: "failed", said: "nothing was sent" } }).at(-1)).toBe(
      "  last: 2026-09-01 08:59 failed: nothing was sent"
    )
  })
})

describe("a program that hangs while it looks for what is due", () => {
  const idle = { nextDueAt: nowMs + 60 * minute }
  it("says so, and does not only name the next due time for ever", () => {
    expect(said(idle, { lookedAt: nowMs - 90 * minute })[1]).toBe(
      "Nothing that becomes due is taken up: it has not looked at its accounts for 90 minutes; if it stays so, restart bidhelm run"
    )
    expect(said(idle, { lookedAt: null })[1]).toContain("it has not looked at its accounts yet")
  })

  it("is told from one that has just looked, that is stopping, or that is of an older version", () => {
    expect(said(idle, { lookedAt: nowMs - minute })).toHaveLength(2)
    expect(said(idle, { lookedAt: nowMs - 90 * minute, isStopping: true })).toHaveLength(2)
    expect(said(idle)).toHaveLength(2)
  })
})
