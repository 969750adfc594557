/**
 * Steering and overlays of one slot, each resolved by itself, since an overlay opposes no steering. One change per slot
 * and run: where an overlay begins or ends, steering waits for the next run, unless its tier is higher. A policy in
 * preview never keeps one in apply waiting.
 */
import { acts } from "../../language/Mode.js"
import { tiers } from "../../language/Policy.js"
import type { Intent } from "./Intent.js"
import * as Resolve from "./Resolve.js"

/** `intents` are all of one slot, in the order of their policies' ids. */
export const slot = (intents: ReadonlyArray<Intent>): ReadonlyArray<Resolve.Verdict> => {
  const all = intents.filter(({ layer }) => layer !== undefined)
  if (all.length === 0) return Resolve.slot(intents)
  const idle = all.some(isCheaperEnd) ? all.filter(isIdle) : []
  const overlays = all.filter((intent) => !idle.includes(intent))
  const wanted = overlays.filter(({ layer, ground }) => layer === "overlay" && acts(ground.policy))
  // What one policy lays anew, or keeps, takes the place of what another one ends.
  const edges = [
    ...Resolve.slot(wanted.length > 0 ? overlays.filter(({ layer }) => layer === "overlay") : overlays),
    ...idle.map((intent) => ({ intent, outcome: intent.outcome, overruled: [] }))
  ]
  const steering = Resolve.slot(intents.filter(({ layer }) => layer === undefined))
  const edge = edges.find(isMove)
  const move = steering.find(isMove)
  if (edge === undefined || move === undefined) return [...steering, ...edges]
  const [winner, loser] = goesFirst(move, edge) ? [move, edge] : [edge, move]
  const overruled = [
    ...new Set([...winner.overruled, loser.intent.ground.policy.id, ...loser.overruled])
  ].sort()
  return [...steering, ...edges].flatMap((verdict) =>
    verdict === loser ? [] : [verdict === winner ? { ...verdict, overruled } : verdict]
  )
}

const isCheaperEnd = ({ layer, outcome }: Intent): boolean =>
  layer === "ending" && outcome._tag === "Move" && !outcome.dearer

/** Neither lays an overlay nor has one: no reason to leave another's standing when its time is over. */
const isIdle = ({ ground, layer, outcome }: Intent): boolean =>
  layer === "overlay" &&
  acts(ground.policy) &&
  (outcome._tag === "Undecided" || (outcome._tag === "Stay" && !outcome.votes))

const isMove = ({ outcome }: Resolve.Verdict): boolean => outcome._tag === "Move"

/** Whether steering goes before an overlay's edge. */
const goesFirst = (steering: Resolve.Verdict, edge: Resolve.Verdict): boolean => {
  const [a, b] = [steering.intent.ground.policy, edge.intent.ground.policy]
  return acts(a) === acts(b) ? tiers.indexOf(a.tier) < tiers.indexOf(b.tier) : acts(a)
}
