/** Three-valued truth. Unknown is neither: only true acts, and `not` of unknown is unknown. */

export const False = 0
export const True = 1
export const Unknown = 2
export type Truth = typeof False | typeof True | typeof Unknown

/** An answer with the byte of its reason; 0 unless the answer is unknown (`domain/Reason`). */
export interface Answer {
  readonly truth: Truth
  readonly reason: number
}

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

const words = ["false", "true", "unknown"] as const
/** `false`, `true` or `unknown`; also for a byte of `Evaluate.condition`. */
export const word = (truth: number): (typeof words)[number] => words[truth] ?? "unknown"
