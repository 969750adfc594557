/** What `bidhelm status` says of an account: one thing, and never two that contradict each other. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as RunFolder from "../../../src/cli/daemon/RunFolder.js"
import * as RunStatus from "../../../src/cli/daemon/RunStatus.js"

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
const raise = { job: "01-raise", dueAt: nowMs - 2 * minute }

it("a program whose configuration has changed says what it goes on with", () => {
  expect(said({}, { configChanged: "main → shop2" })[1]).toBe(
    "bidhelm.yaml has changed since it began (main → shop2): it goes on as before and takes no command that changes or stops anything; start it again, or take the change back"
  )
})

it("stops that were not read because the configuration has changed do not make the store away", () => {
  const stopsUnread = "bidhelm.yaml names another store or account than the running program"
  const told = RunStatus.read({
    pid: 7,
    config: "bidhelm.yaml",
    nowMs,
    rulesVersion: "3f2a9c",
    isStopping: false,
    configChanged: "store: a → b",
    accounts: [{ account: "shop", state: "idle", lagMs: 0, waiting: [] }]
  })!
  const status = RunStatus.stopped(told, { stops: [], stopsUnread })
  expect(status).toMatchObject({ stopsUnread, accounts: [{ state: "idle" }] })
  expect(status.storeAway).toBeUndefined()
})

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

  it("that waits after trouble names no due time before it tries again: nothing runs until then", () => {
    const waiting = { state: "waiting", stoppedWhy: "the token was refused", retryAt: nowMs + 90 * minute }
    expect(said({ ...waiting, nextDueAt: nowMs + 60 * minute })[1]).toBe(
      "shop: waiting after trouble, tries again at 2026-09-01 10:30 (in 90 min)"
    )
    expect(said({ ...waiting, nextDueAt: nowMs + 100 * minute })[1]).toBe(
      "shop: waiting after trouble, tries again at 2026-09-01 10:30; next due 2026-09-01 10:40 (in 100 min)"
    )
  })

  it("that a person has stopped says so, since when, by whom, why, and how it goes on", () => {
    const lines = said({
      stops: [
        {
          kind: "kill",
          since: nowMs - minute,
          by: "anna",
          why: "bids look wrong",
          resume: "bidhelm resume --kill"
        },
        {
          kind: "account",
          since: nowMs - 2 * minute,
          until: nowMs + 60 * minute,
          by: "boris",
          resume: "bidhelm resume --account shop"
        }
      ],
      last: { at: nowMs, outcome: "ran", said: "nothing applied, 1 held (kill_switch)" }
    })
    expect(lines.slice(2)).toEqual([
      "  every request of the account (kill switch): on hold by anna since 2026-09-01 08:59: bids look wrong; resume with: bidhelm resume --kill",
      "  the account: on hold by boris since 2026-09-01 08:58, until 2026-09-01 10:00; resume with: bidhelm resume --account shop",
      "  last: 2026-09-01 09:00 nothing applied, 1 held (kill_switch)"
    ])
  })

  it("shows a reason that somebody wrote on its own line and without anything that steers a terminal", () => {
    const why = "look\n  last: all is well\u001b[2J"
    const lines = said({
      stops: [{ kind: "kill", since: nowMs, by: "anna", why, resume: "bidhelm resume --kill" }]
    })
    expect(lines).toHaveLength(3)
    expect(lines[2]).toContain("look·  last: all is well·[2J")
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

describe("what people have stopped", () => {
  it("goes to the account that is meant, and a file STOP to all of them", () => {
    const one = { state: "idle", lagMs: 0, waiting: [] }
    const status: RunStatus.Status = {
      pid: 7,
      config: "bidhelm.yaml",
      nowMs,
      rulesVersion: "3f2a9c",
      isStopping: false,
      accounts: [
        { account: "shop", ...one },
        { account: "other", ...one }
      ]
    }
    const kill = {
      kind: "kill",
      since: nowMs,
      by: "anna",
      resume: "bidhelm resume --kill --account other"
    } as const
    const told = RunStatus.stopped(status, { stops: [{ account: "other", ...kill }], stopFile: "/srv/STOP" })
    expect(told).toEqual({
      ...status,
      stopFile: "/srv/STOP",
      accounts: [status.accounts[0], { account: "other", ...one, stops: [kill] }]
    })
    expect(RunStatus.text(told).split("\n")[1]).toBe(
      "Nothing is sent from this machine: the file /srv/STOP exists; remove it to go on"
    )
  })

  it("is said of a file STOP that nobody may look for, and not that it exists", () => {
    const folder = mkdtempSync(join(tmpdir(), "bidhelm-stop-"))
    try {
      symlinkSync("store", join(folder, "store"))
      const stopped = RunFolder.stopped({ storeLink: "", storePath: join(folder, "store", "bidhelm.sqlite") })
      expect(stopped).toMatchObject({ isThere: false })
      expect(said({}, { stopFileUnread: stopped?.says ?? "" })[1]).toMatch(
        /^Nothing is sent from this machine: nobody can tell whether the file .*STOP exists \(ELOOP\).*check the permissions/
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("is said of limits that stop every write, with the file that says so", () => {
    const told = said({}, { killSwitchIn: "/srv/rules/_shared/limits.yaml" })
    expect(told[1]).toBe(
      "Nothing is sent from this machine: kill_switch is true in /srv/rules/_shared/limits.yaml; set it to false to go on"
    )
    expect(told).toHaveLength(said({}).length + 1)
  })

  it("is said not to be known when it could not be read", () => {
    expect(said({}, { stopsUnread: "the store cannot be opened" })[1]).toBe(
      "What people have stopped is not known: the store cannot be opened"
    )
  })
})

describe("a store that is away", () => {
  const why = "could not look for kill switches and holds: PostgreSQL does not answer"
  const away = (state: string, more: Partial<RunStatus.AccountStatus> = {}) => {
    const known = RunStatus.read({
      pid: 7,
      config: "bidhelm.yaml",
      nowMs,
      rulesVersion: "3f2a9c",
      isStopping: false,
      lookedAt: nowMs - 2 * minute,
      accounts: [{ account: "shop", state, lagMs: 0, waiting: [], ...more }]
    })
    if (known === undefined) throw new Error("not a status of this version")
    return RunStatus.stopped(known, { stops: [], stopsUnread: why })
  }

  it("is told as such, with when it answered last; no runner is said to be silent", () => {
    const status = away("unknown: its runner does not answer")
    expect(RunStatus.read(status)).toMatchObject({ storeAway: why })
    const lines = RunStatus.text(status).split("\n")
    expect(lines.slice(1)).toEqual([
      `The store is away: ${why}. It answered last at 2026-09-01 05:58. This program lives, sends nothing meanwhile, and goes on by itself when the store is back`,
      "What people have stopped is not known until then",
      "shop: unknown while the store is away"
    ])
  })

  it("is told as such as soon as the program has missed it, though runners still answer", () => {
    const stoppedWhy = "could not read which policies are due: the connection to PostgreSQL was lost"
    const runner = "pid 7 on desk"
    expect(away("idle", { runner, stoppedWhy, stoppedBy: "StoreFailed" }).storeAway).toBe(why)
    // A word of the marketplace may begin as ours do: only the code tells whose it is.
    expect(away("waiting", { runner, stoppedWhy, stoppedBy: "Refused" }).storeAway).toBeUndefined()
    expect(away("waiting", { runner, stoppedWhy }).storeAway).toBeUndefined()
  })

  it("is told from one that only this command cannot read", () => {
    const status = away("idle", { runner: "pid 7 on desk" })
    expect(status.storeAway).toBeUndefined()
    expect(RunStatus.text(status)).toContain(`What people have stopped is not known: ${why}`)
  })
})
