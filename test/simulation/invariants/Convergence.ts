/**
 * Invariant 27: when nothing goes wrong any more the program works again: a turn comes, ends within twenty minutes and
 * without an error, and what earlier runs left open is settled by then.
 */
import type { Observed, Violation } from "../chaos/Record.js"
import * as Enrolments from "./Enrolments.js"
import * as MachineClock from "./MachineClock.js"

const calmMs = 20 * 60_000
/** Policies are due every two hours at least; a set of seldom ones may have none to do. */
const turnsMs = 2.2 * 3_600_000

export const converges = (observed: Observed): ReadonlyArray<Violation> => {
  const { cycles, healedAt, toMs, versions, zombies } = observed
  // A process that hung has a few minutes left; its turns end with it, those of its successor are held to this.
  const hung = new Set(zombies.map(({ life }) => life))
  const later = cycles.filter(({ kind, startedAt }) => kind === "schedule" && startedAt >= healedAt)
  const found = (at: number, what: string): Violation => ({ invariant: 27, at, what, entries: [] })
  const hourly = versions.every(({ policies }) => policies.some(isOften))
  return [
    ...(toMs - healedAt >= turnsMs && hourly && later.length === 0
      ? [found(toMs, "no turn has come since everything healed")]
      : []),
    ...later.flatMap(({ endedAt, error, life, startedAt }) => {
      if (endedAt === undefined && hung.has(life)) return []
      if (startedAt >= healedAt + calmMs && error !== undefined)
        return [found(startedAt, `a run after healing failed: ${error}`)]
      return (endedAt ?? toMs) - startedAt > calmMs
        ? [found(startedAt, "a turn after healing took more than twenty minutes")]
        : []
    }),
    ...leftOpen(
      observed,
      later.find(({ endedAt, error }) => endedAt !== undefined && error === undefined)?.endedAt
    )
  ]
}

const isOften = ({ mode, schedule }: Observed["versions"][number]["policies"][number]): boolean =>
  mode !== "disabled" &&
  schedule?.every !== undefined &&
  schedule.every <= 2 * 3_600_000 &&
  schedule.between === undefined &&
  schedule.days === undefined

/** Rows of runs begun before the healing, which the first good turn after it should have settled. */
const leftOpen = (observed: Observed, goodAt: number | undefined): ReadonlyArray<Violation> => {
  if (goodAt === undefined) return []
  const old = new Set([...observed.runsBefore.values()].flatMap((runs) => [...runs]))
  const until = MachineClock.shown(observed, goodAt) + calmMs
  return (
    observed.rows
      // What is filed takes its time (invariant 22 says how long).
      .filter(
        ({ runId, slot, updatedAt }) => old.has(runId) && updatedAt > until && !Enrolments.isFiled({ slot })
      )
      .map(({ runId, slot, updatedAt }) => ({
        invariant: 27,
        at: updatedAt,
        what: `${slot} of ${runId} was settled long after a turn had ended well`,
        entries: []
      }))
  )
}
