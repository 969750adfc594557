/** What `watch:` of a policy says of a row, beside what its rules say. */
import * as Target from "../../domain/Target.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type * as Watching from "../../engine/decide/Watching.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as RowReasons from "../RowReasons.js"
import * as Entry from "./Entry.js"

export type Due = Watching.Due

/** The policy; of a row whose change its watch takes back, as that watch asks it: in its place, and by its conditions alone. */
export const asked = (plan: Plan, policy: Policy, target: Target.Subject): Policy => {
  const { watch } = policy
  if (watch === undefined || takenBack(plan, policy, target) === undefined) return policy
  const { during: _, holdForRuns: __, ...rest } = policy
  const action = { _tag: "Revert", span: watch.span } as const
  return { ...rest, where: [], rules: [{ name: "watch", when: watch.rollBackWhen, action }] }
}

/** What becomes of changes that were due for a second look; empty where none was. */
export const notes = (
  { plan, watched = [] }: { readonly plan: Plan; readonly watched?: ReadonlyArray<Due> },
  policy: Policy,
  target: Target.Subject
): ReadonlyArray<string> => {
  if (policy.watch === undefined) return []
  const near = RowReasons.around(plan)
  const back = takenBack(plan, policy, target)
  const told = [...plan.unknown, ...plan.unchanged]
    .filter(
      ({ because, policy: id, subject }) => isOf(because.code) && id === policy.id && isSame(subject, target)
    )
    .map(({ because }) => RowReasons.text(because, near))
  const key = Target.key(target)
  const due = watched.filter(
    (one) => one.policy.id === policy.id && Target.key(one.past.change.subject) === key
  )
  return [
    ...(back === undefined ? [] : [`watch: takes back what run ${back} changed`]),
    ...told,
    ...due.flatMap((one) => staying(one, plan))
  ]
}

/** Where the look passes the mark. */
const staying = ({ marks, past, watch }: Due, { watched = [] }: Plan): ReadonlyArray<string> => {
  const last = Math.max(...marks)
  const isPassed = watched.some(({ changeId, runId }) => changeId === past.change.id && runId === past.runId)
  if (!isPassed || past.change.undoes !== undefined) return []
  const next = watch.afterMs.find((afterMs) => afterMs > last)
  const again = next === undefined ? "it is not asked again" : `asked again ${hours(next)} after it`
  return [
    `watch: ${hours(last)} after run ${past.runId} its condition does not hold, and the change stays; ${again}`
  ]
}

const hours = (ms: number): string => `${Math.round(ms / 3_600_000)}h`

const isOf = (code: string): boolean => code.startsWith("watch_") && code !== "watch_rests"

const isSame = (one: Target.Subject, other: Target.Subject): boolean => Target.key(one) === Target.key(other)

/** The run whose change the plan takes back here. */
const takenBack = (plan: Plan, policy: Policy, target: Target.Subject): string | undefined => {
  const entry = Entry.of(plan, policy, target)
  return entry._tag === "Change" || entry._tag === "Held" ? entry.change.undoes?.runId : undefined
}
