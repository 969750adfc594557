/** What `watch:` of a policy says of its rows, beside what its rules say. */
import type * as Arr from "effect/Array"
import * as Groups from "../../domain/Groups.js"
import * as Target from "../../domain/Target.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type * as Watching from "../../engine/decide/Watching.js"
import type { Change } from "../../engine/kinds/Change.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as RowReasons from "../RowReasons.js"

export type Due = Watching.Due

/** Of one policy. */
export interface Said {
  /** The policy; of a row whose change its watch takes back, as that watch asks it: in its place, and by its conditions alone. */
  readonly asked: (target: Target.Subject) => Policy
  /** What becomes of changes that were due for a second look; empty where none was. */
  readonly notes: (target: Target.Subject) => ReadonlyArray<string>
}

/** Looks through the plan once, for there may be many rows. */
export const of = (
  { plan, watched = [] }: { readonly plan: Plan; readonly watched?: ReadonlyArray<Due> },
  policy: Policy
): Said => {
  const { watch } = policy
  if (watch === undefined) return { asked: () => policy, notes: () => [] }
  const isOwn = (change: Change) =>
    change.undoes !== undefined &&
    change.origin.name === policy.id &&
    change.origin.by === "policy" &&
    change.origin.line === watch.span.line
  const taken = new Map<string, string>()
  for (const { change } of plan.held)
    if (isOwn(change))
      taken.set(Target.key(change.subject), `would take back what run ${change.undoes?.runId} changed`)
  const takes = policy.mode === "preview" ? "would take back" : "takes back"
  for (const change of plan.changes)
    if (isOwn(change))
      taken.set(Target.key(change.subject), `${takes} what run ${change.undoes?.runId} changed`)
  const told = new Map<string, Arr.NonEmptyArray<string>>()
  const kept = new Set<string>()
  for (const { because, policy: id, subject } of [...plan.unknown, ...plan.unchanged]) {
    if (id !== policy.id || subject === undefined || !isOf(because.code)) continue
    const key = Target.key(subject)
    Groups.add(told, key, RowReasons.text(because, RowReasons.around(plan)))
    if (because.code === "watch_keeps") kept.add(`${because.runId} ${key}`)
  }
  const answered = new Set(
    (plan.watched ?? [])
      .filter((mark) => mark.policy === policy.id)
      .map(({ changeId, runId }) => `${runId} ${changeId}`)
  )
  for (const due of watched) {
    const { change, runId } = due.past
    const key = Target.key(change.subject)
    if (due.policy.id !== policy.id || change.undoes !== undefined) continue
    if (answered.has(`${runId} ${change.id}`) && !kept.has(`${runId} ${key}`))
      Groups.add(told, key, staying(due))
  }
  const { during: _, holdForRuns: __, ...rest } = policy
  const action = { _tag: "Revert", span: watch.span } as const
  const back = { ...rest, where: [], rules: [{ name: "watch", when: watch.rollBackWhen, action }] }
  return {
    asked: (target) => (taken.has(Target.key(target)) ? back : policy),
    notes: (target) => {
      const key = Target.key(target)
      const taking = taken.get(key)
      return [...(taking === undefined ? [] : [`watch: ${taking}`]), ...(told.get(key) ?? [])]
    }
  }
}

/** Of a look that passes the mark. */
const staying = ({ marks, past, watch }: Due): string => {
  const last = Math.max(...marks)
  const next = watch.afterMs.find((afterMs) => afterMs > last)
  const again = next === undefined ? "it is not asked again" : `asked again ${hours(next)} after it`
  return `watch: ${hours(last)} after run ${past.runId} its condition does not hold, and the change stays; ${again}`
}

const hours = (ms: number): string => `${Math.round(ms / 3_600_000)}h`

const isOf = (code: string): boolean => code.startsWith("watch_") && code !== "watch_rests"
