/** Which changes `watch:` looks at again in this run, by the journal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Watching from "../decide/Watching.js"
import { ChangeLog } from "../door/ChangeLog.js"
import * as Pasts from "../door/Pasts.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Policy } from "../language/Policy.js"

/** Changes that are due for a second look, of these policies; nothing where none of them watches. */
export const due = (
  account: string,
  policies: ReadonlyArray<Policy>,
  nowMs: number
): Effect.Effect<ReadonlyArray<Watching.Due>, StoreFailure> =>
  Effect.gen(function* () {
    const reaches = policies.flatMap((policy) => {
      const reach = Watching.reachMs(policy)
      return reach === undefined ? [] : [{ policy, reach }]
    })
    if (reaches.length === 0) return []
    const found = yield* Effect.serviceOption(ChangeLog)
    if (Option.isNone(found))
      return yield* Effect.dieMessage("a policy has watch:, and nothing gives a ChangeLog")
    const log = found.value
    const since = nowMs - Math.max(...reaches.map(({ reach }) => reach))
    const rows = yield* log.applied(
      account,
      reaches.map(({ policy }) => policy.id),
      since
    )
    if (rows.length === 0) return []
    const marks = yield* log.marks([...new Set(rows.map(({ runId }) => runId))])
    const passed = new Set(marks.map(Watching.markName))
    const pasts = rows
      .map(Pasts.of)
      .filter((past) => reaches.some(({ policy }) => Watching.open(policy, past, passed, nowMs).length > 0))
    if (pasts.length === 0) return []
    const names = new Set(pasts.map(({ change }) => Kinds.slotOf(change)))
    const oldest = pasts.reduce((least, { at }) => Math.min(least, at), nowMs)
    const slots = Pasts.bySlot(yield* log.ofSlots(account, [...names], oldest))
    return reaches.flatMap(({ policy }) =>
      Watching.due(policy, pasts, (change) => slots.get(Kinds.slotOf(change)) ?? [], passed, nowMs)
    )
  })

/** One question per policy, for `Gather`. */
export const questions = (due: ReadonlyArray<Watching.Due>): ReadonlyArray<Policy> => {
  const byPolicy = new Map<string, [Watching.Due, ...Array<Watching.Due>]>()
  for (const one of due) {
    const known = byPolicy.get(one.policy.id)
    if (known === undefined) byPolicy.set(one.policy.id, [one])
    else known.push(one)
  }
  return [...byPolicy.values()].map(Watching.question)
}
