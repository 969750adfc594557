/** `hold_for: 2 runs`: a rule acts on a row only when it has matched in that many runs in a row. */
import * as Target from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Window from "../../../domain/Window.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Sources from "../../facts/Sources.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { FactRef, Policy } from "../../language/Policy.js"
import type { HoldCounts } from "../Plan.js"
import { type Ground, type Intent, type Outcome, stay } from "./Intent.js"

/** Of a row of a policy; another meaning of the policy starts anew. */
export const key = (policy: string, hash: string, row: string): string => `${policy}\u0000${hash}\u0000${row}`

/** The outcome, stopped as long as the rule has not matched often enough. What is stopped still votes, if cheaper. */
export const pass = (intent: Intent): Outcome => {
  const { ground, outcome } = intent
  const wanted = ground.policy.holdForRuns
  if (wanted === undefined || outcome._tag !== "Move" || intent.layer === "ending") return outcome
  const { runs } = count(ground)
  return runs >= wanted ? outcome : stay({ code: "hold_for", runs, wanted }, !outcome.dearer)
}

/** True when the rule of a row has matched in as many runs in a row as `hold_for` wants. */
export const isRipe = (ground: Ground): boolean =>
  ground.policy.holdForRuns === undefined || count(ground).runs >= ground.policy.holdForRuns

/** What this run makes of the counts of a policy; `grounds` are all rows that it matched. */
export const counts = (policy: Policy, grounds: ReadonlyArray<Ground>): HoldCounts => ({
  policy: policy.id,
  hash: policy.hash,
  rows: grounds
    .map((ground) => ({ row: Target.key(ground.target), rule: ground.ruleIndex, ...count(ground) }))
    .sort(TextOrder.by(({ row }) => row))
})

const count = (ground: Ground): { readonly runs: number; readonly fresh: boolean } => {
  const { holds, nowMs, policy, ruleIndex, target } = ground
  const before = holds.get(key(policy.id, policy.hash, Target.key(target)))
  // One from the future was counted by a clock that was ahead; nobody knows what it saw.
  if (before === undefined || before.rule !== ruleIndex || before.countedAt > nowMs)
    return { runs: 1, fresh: true }
  const fresh = hasNews(ground, before.countedAt)
  return { runs: Math.min(before.runs + (fresh ? 1 : 0), policy.holdForRuns ?? 1), fresh }
}

/** Every statistic that decided on the rule is newer than at the last count; without statistics each run counts. */
const hasNews = ({ nowMs, policy, ruleIndex }: Ground, countedAt: number): boolean =>
  FactRefs.ofRules(policy, ruleIndex + 1).every(
    (ref) => ref.window === undefined || isNewer(ref, ref.window, countedAt, nowMs)
  )

const isNewer = (ref: FactRef, window: Window.Window, countedAt: number, nowMs: number): boolean => {
  if (window._tag === "Last") {
    return Window.resolve(window, nowMs).to > Window.resolve(window, countedAt).to
  }
  const source = Vocabulary.byFactId(ref.id)?.source
  return nowMs - countedAt >= (source === undefined ? 0 : Sources.sources[source].freshMinutes * 60_000)
}
