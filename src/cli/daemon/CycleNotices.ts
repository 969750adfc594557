/** Lines of the log for what a plan of `bidhelm run` says on top: messages of rules, and what could not be read. */
import * as Effect from "effect/Effect"
import * as Besides from "../../engine/run/Besides.js"
import type { Planned } from "../../engine/run/Cycle.js"
import * as Plural from "../../reporting/Plural.js"

/** More lines of one policy, or of one plan, would only hide the others. */
const most = { ofPolicy: 10, ofPlan: 50 }

/** One line per reason why something was not read, and one per policy and text. */
export const lines = (
  account: string,
  planned: Pick<Planned, "gathered" | "reviewed">
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const plan = planned.reviewed.plan.id.slice(0, 12)
    const told = [...failures(planned), ...notices(planned)]
    for (const { event, fields, text } of told.slice(0, most.ofPlan)) {
      yield* Effect.logWarning(`${account}: ${text}`, { event, account, plan, ...fields })
    }
    const left = told.length - most.ofPlan
    if (left > 0) yield* Effect.logWarning(`${account}: ${Plural.of(left, "more notice")}, see bidhelm plan`)
  })

interface Line {
  readonly event: "notice" | "not_read"
  readonly text: string
  readonly fields: Readonly<Record<string, string | number>>
}

/** A buyer's words do not belong into a log, so messages about clusters are only counted. */
const notices = ({ reviewed }: Pick<Planned, "reviewed">): ReadonlyArray<Line> => {
  const policies = new Map<string, Map<string, number>>()
  for (const { policy, target, text } of reviewed.plan.notices ?? []) {
    const texts = policies.get(policy) ?? new Map<string, number>()
    policies.set(policy, texts)
    const told = target?.cluster === undefined ? text : "has messages about clusters, see bidhelm plan"
    texts.set(told, (texts.get(told) ?? 0) + 1)
  }
  return [...policies].flatMap(([policy, texts]) => {
    const told = [...texts].slice(0, most.ofPolicy)
    const left = texts.size - told.length
    if (left > 0) told.push([`${Plural.of(left, "more message")}, see bidhelm plan`, 1])
    return told.map(([text, rows]) => ({
      event: "notice" as const,
      text: `${policy}: ${text}${rows === 1 ? "" : ` (${rows} times)`}`,
      fields: { policy, rows }
    }))
  })
}

const failures = (planned: Pick<Planned, "gathered">): ReadonlyArray<Line> => {
  const counts = new Map<string, { readonly operation: string; keys: number }>()
  for (const { keys, message, operation } of Besides.unread(planned)) {
    const one = counts.get(message) ?? { operation, keys: 0 }
    one.keys += keys
    counts.set(message, one)
  }
  return [...counts].map(([message, { keys, operation }]) => ({
    event: "not_read",
    text: `not read (${keys}): ${message}`,
    fields: { operation, keys }
  }))
}
