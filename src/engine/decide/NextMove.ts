/** What a slot waits for after a change, so that nobody wonders why nothing happens: `Gate.pass` turned round. Pure. */
import * as Days from "../../domain/Days.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Sources from "../facts/Sources.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Policy } from "../language/Policy.js"

/** Every part must have come to pass; without any the slot may move in the next run. */
export interface NextMove {
  /** End of the policy's cooldown, or of the time after which the running day's figures are news; epoch milliseconds. */
  readonly notBeforeMs?: number
  /** Complete days of statistics must reach this day of the marketplace; `settleDays` after it they do. */
  readonly statisticsOf?: { readonly day: Days.Day; readonly settleDays: number }
}

/** For a change made at `changedAtMs` by a rule of the policy; only bids wait for statistics. */
export const after = (policy: Policy, ruleIndex: number, changedAtMs: number, isBid: boolean): NextMove => {
  const refs = isBid ? FactRefs.ofRules(policy, ruleIndex + 1) : []
  const instants = policy.cooldownMs === undefined ? [] : [changedAtMs + policy.cooldownMs]
  const settle: Array<number> = []
  for (const { id, window } of refs) {
    if (window?._tag === "Last") settle.push(window.settleDays)
    if (window?._tag !== "Today") continue
    const source = Vocabulary.byFactId(id)?.source
    if (source !== undefined) instants.push(changedAtMs + Sources.sources[source].freshMinutes * 60_000)
  }
  return {
    ...(instants.length === 0 ? {} : { notBeforeMs: Math.max(...instants) }),
    ...(settle.length === 0
      ? {}
      : { statisticsOf: { day: Days.ofMarket(changedAtMs), settleDays: Math.max(...settle) } })
  }
}
