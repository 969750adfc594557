/** The laws of three-valued truth, two answers at a time: what the kernels compute is held against them. */
import { type Answer, False, True, Unknown } from "../../src/engine/facts/Kleene.js"

/** False wins over unknown, unknown over true; the first unknown gives the reason. */
export const and = (left: Answer, right: Answer): Answer => {
  if (left.truth === False || right.truth === False) return { truth: False, reason: 0 }
  return left.truth === Unknown ? left : right
}

/** True wins over unknown, unknown over false; the first unknown gives the reason. */
export const or = (left: Answer, right: Answer): Answer => {
  if (left.truth === True || right.truth === True) return { truth: True, reason: 0 }
  return left.truth === Unknown ? left : right
}

export const not = (answer: Answer): Answer =>
  answer.truth === Unknown ? answer : { truth: answer.truth === True ? False : True, reason: 0 }
