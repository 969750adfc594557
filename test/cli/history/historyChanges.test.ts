import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CampaignId } from "../../../src/domain/Ids.js"
import { Journal, type JournalState, journalStates } from "../../../src/engine/door/Journal.js"
import * as Retention from "../../../src/store/retention/Retention.js"
import * as Fixture from "../../store/Fixture.js"
import { Shop } from "../Shop.js"

let shop: Shop

/** Five minutes before and after midnight in Moscow. */
const evening = Date.parse("2026-09-01T23:55:00+03:00")
const night = Date.parse("2026-09-02T00:05:00+03:00")

const made: ReadonlyArray<{
  readonly runId: string
  readonly account?: string
  readonly at: number
  readonly changes: ReadonlyArray<readonly [campaignId: number, policy: string, state: JournalState]>
}> = [
  {
    runId: "run 1",
    at: evening,
    changes: [
      [777, "01-raise", "applied"],
      [778, "01-raise", "rejected"],
      [777, "02-minus", "applied"]
    ]
  },
  { runId: "run 2", account: "other", at: night, changes: [[779, "01-raise", "parked"]] },
  {
    runId: "run 3",
    at: night,
    changes: [
      [777, "01-raise", "applied"],
      [778, "01-raise", "applied"]
    ]
  }
]

const inStore = <A, E>(work: Effect.Effect<A, E, Fixture.Store>) => {
  const filename = join(shop.folder, ".bidhelm", "bidhelm.sqlite")
  return Effect.runPromise(Effect.provide(work, Fixture.store({ filename })))
}

beforeAll(async () => {
  shop = await Shop.open()
  await inStore(
    Effect.gen(function* () {
      const journal = yield* Journal
      for (const { account = "main", at, changes, runId } of made) {
        const all = changes.map(([campaign, policy], n) =>
          Fixture.change(n, {
            id: `${n}${"abcdef".repeat(6)}`.slice(0, 32),
            origin: Fixture.by(policy),
            subject: { campaignId: CampaignId.make(campaign) }
          })
        )
        const slot = ({ id }: { readonly id: string }) => `item_bid:777/${runId}/${id}`
        yield* journal.begin(Fixture.run(runId, { account, startedAt: at }), Fixture.rows(all, slot))
        for (const [n, { id }] of all.entries()) {
          const note = { nowMs: at + 60_000, sent: true }
          yield* journal.move(runId, [id], ["planned"], changes[n]![2], note)
        }
        yield* journal.finish(runId, "done", {}, at + 120_000)
      }
    })
  )
})
afterAll(async () => {
  await shop.close()
})

interface Answer {
  readonly version: number
  readonly kind: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly changes: ReadonlyArray<{
    readonly runId: string
    readonly change: { readonly id: string; readonly subject: { readonly campaignId: number } }
  }>
  readonly next: string | null
  readonly keptSince: number | null
}

const asked = async (...args: ReadonlyArray<string>): Promise<Answer> => {
  const { code, stderr, stdout } = await shop.run("history", "--json", ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout) as Answer
}

const found = async (...args: ReadonlyArray<string>) =>
  (await asked(...args)).changes.map((one) => `${one.runId}: ${one.change.subject.campaignId}`)

describe("the changes of all runs", () => {
  it("are listed by campaign, policy, state and day, alone or together, the latest first", async () => {
    expect(await found("--campaign", "777")).toEqual(["run 3: 777", "run 1: 777", "run 1: 777"])
    expect(await found("--policy", "02-minus")).toEqual(["run 1: 777"])
    expect(await found("--state", "parked")).toEqual(["run 2: 779"])
    expect(await found("--policy", "01-raise", "--campaign", "777")).toEqual(["run 3: 777", "run 1: 777"])
    expect(await found("--policy", "01-raise", "--account", "main", "--day", "2026-09-02")).toEqual([
      "run 3: 778",
      "run 3: 777"
    ])
  })

  it("are of the day that the configured zone's calendar shows", async () => {
    expect(await found("--day", "2026-09-01")).toEqual(["run 1: 777", "run 1: 778", "run 1: 777"])
    const { filter, kind, version } = await asked("--day", "2026-09-02", "--state", "applied")
    expect({ kind, version }).toEqual({ kind: "changes", version: 1 })
    expect(filter).toEqual({
      account: null,
      campaignId: null,
      policy: null,
      state: "applied",
      day: "2026-09-02",
      timeZone: "Europe/Moscow"
    })
  })

  it("stand under their runs with what became of them, and below them the command for the next page", async () => {
    const first = await shop.run("history", "--campaign", "777", "--limit", "2")
    expect(first).toMatchObject({ code: 0 })
    expect(first.stdout).toBe(
      [
        "run 3  2026-09-02 00:05 Europe/Moscow  main",
        "  ~ 777  bid in search 100 → 110 ₽ per 1000 views (+10.0%)",
        "      applied (done and seen), sent 2026-09-02 00:06",
        "      01-raise, line 3; change 0abcdefa",
        "run 1  2026-09-01 23:55 Europe/Moscow  main",
        "  ~ 777  bid in search 100 → 110 ₽ per 1000 views (+10.0%)",
        "      applied (done and seen), sent 2026-09-01 23:56",
        "      02-minus, line 3; change 2abcdefa",
        ""
      ].join("\n")
    )
    const next = "run 1/2abcdefabcdefabcdefabcdefabcdefa"
    expect(first.stderr).toBe(`more: bidhelm history --campaign 777 --limit 2 --before '${next}'\n`)
    const last = await shop.run("history", "--campaign", "777", "--limit", "2", "--before", next)
    expect(last.stdout).toContain("change 0abcdefa")
    expect(last.stdout).not.toContain("run 3")
    expect(last.stderr).toBe("")
    expect((await asked("--campaign", "777", "--limit", "2")).next).toBe(next)
    expect((await asked("--campaign", "777", "--before", next)).next).toBeNull()
  })

  it("go on behind a change named by its beginning, and behind a whole run", async () => {
    expect(await found("--policy", "01-raise", "--before", "run 3/1abcdefa")).toEqual([
      "run 3: 777",
      "run 2: 779",
      "run 1: 778",
      "run 1: 777"
    ])
    expect(await found("--policy", "01-raise", "--before", "run 2")).toEqual(["run 1: 778", "run 1: 777"])
  })

  it("that nobody made are told in words, with the policies there are", async () => {
    const none = await shop.run("history", "--campaign", "5")
    expect(none).toEqual({ code: 0, stdout: "no change of campaign 5 was ever journaled\n", stderr: "" })
    const day = await shop.run("history", "--campaign", "777", "--state", "parked", "--day", "2026-09-01")
    expect(day.stdout).toBe(
      "no change of campaign 777, with the state parked, on 2026-09-01 (Europe/Moscow) was journaled\n"
    )
    const policy = await shop.run("history", "--policy", "1-raise")
    expect(policy.stdout).toBe("no change by policy 1-raise was ever journaled\n")
    expect(policy.stderr).toBe("Policies that made changes: 01-raise, 02-minus.\n")
    const end = await shop.run("history", "--state", "parked", "--before", "run 2")
    expect(end).toMatchObject({
      code: 0,
      stdout: "no earlier change with the state parked was ever journaled\n"
    })
  })

  it("are refused with everything that is wrong at once, and every state named", async () => {
    const wrong = await shop.run(
      ...["history", "run 1", "--campaign", "sneakers", "--state", "done", "--day", "2026-02-30"],
      ...["--limit", "0", "--account", "nobody", "--verify"]
    )
    expect(wrong).toMatchObject({ code: 1, stdout: "" })
    const lines = wrong.stderr.trim().split("\n")
    for (const [at, beginning] of [
      '--account: there is no account "nobody"',
      "--campaign sneakers: ",
      `--state done: there is no such state; the states are ${journalStates.join(", ")}`,
      "--day 2026-02-30: ",
      "--limit 0: ",
      "run 1: a run is shown whole",
      "--verify and --export are about everything"
    ].entries())
      expect(lines[at]).toContain(beginning)
    expect(lines).toHaveLength(7)
  })

  it("have no page before what is not there, or is several changes", async () => {
    for (const [before, why] of [
      ["run 9", "there is no run run 9"],
      ["run 1/ffff", "there is no change ffff of a run run 1"],
      ["run 1/", "several changes of run run 1 begin with"]
    ] as const) {
      const { code, stderr, stdout } = await shop.run("history", "--state", "applied", "--before", before)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(`--before ${before}: ${why}`)
    }
  })

  it("say since when all of them are kept, once older ones were purged", async () => {
    const purgedAt = night + 400 * 86_400_000
    await inStore(Retention.purge(purgedAt))
    const { stderr, stdout } = await shop.run("history", "--state", "rejected")
    expect(stdout).toBe("no change with the state rejected is kept\n")
    expect(stderr).toContain(
      "Older ones were purged: of what had ended before 2026-09-02 00:05 only the latest change of each value, and what was taken back lately, is kept (keep: journal_days"
    )
    expect((await asked("--state", "rejected")).keptSince).toBe(night)
    const later = await shop.run("history", "--state", "rejected", "--day", "2026-09-03")
    expect(later.stderr).toBe("")
  })
})
