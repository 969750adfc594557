/** What the log of `bidhelm run` says of changes that came to nothing. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import * as CycleFigures from "../../../src/cli/daemon/CycleFigures.js"
import type { OutcomeReason } from "../../../src/domain/OutcomeReason.js"
import type { ApplyReport } from "../../../src/engine/door/Apply.js"
import type { JournalState } from "../../../src/engine/door/Journal.js"
import * as Scenario from "../../scenario/Scenario.js"

const rule = {
  path: "rules/r.yaml",
  text: `version: 1
name: r
mode: apply
schedule: {every: 3h}
each: cluster
where: campaign.payment = cpm
when: bid > 1 ₽
do: {raise_bid: {by: 10%, cap: 9000 ₽}}
cooldown: 1d
`
}

/** Lines of a run whose first change of a cluster ended so. */
const linesOf = (state: JournalState, reason: (cluster: string) => OutcomeReason) =>
  Scenario.run({ rules: [rule] }, (world) =>
    Effect.gen(function* () {
      const { reviewed } = yield* world.plan
      const change = reviewed.plan.changes.find(({ kind }) => kind === "cluster_bid")!
      const cluster = String(change.subject.cluster)
      const row = {
        ...{ account: "shop", change, slot: "", runId: "run-1", planId: "", state, updatedAt: 0 },
        ...{ operation: "setClusterBids", requestHash: undefined, sentAt: undefined, reason: reason(cluster) }
      }
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(JSON.stringify(message))
      })
      yield* CycleFigures.watching({ account: "shop", lane: "ads" })
        .applied({ ...none, rows: [row] })
        .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      return { cluster, lines }
    })
  )

const none: ApplyReport = {
  runId: "run-1",
  status: "done",
  counts: {},
  rows: [],
  recovered: [],
  stopped: undefined,
  nothingSentLockLost: false
}

it("repeats no buyer's words that the marketplace says of a cluster", async () => {
  const { cluster, lines } = await linesOf("rejected", (phrase) => ({
    code: "refused",
    said: `unknown search phrase "${phrase}"`
  }))
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain(cluster)
  expect(lines[0]).toContain("see bidhelm history run-1")
})

it("tells of what never left because it was unfit, and not of a value that moved", async () => {
  const unfit = await linesOf("skipped", () => ({ code: "unfit", said: "too near" }))
  expect(unfit.lines).toHaveLength(1)
  const moved = await linesOf("skipped", () => ({ code: "live_value_unread" }) as OutcomeReason)
  expect(moved.lines).toEqual([])
})
