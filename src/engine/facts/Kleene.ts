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

const words = ["false", "true", "unknown"] as const
/** `false`, `true` or `unknown`; also for a byte of `Evaluate.condition`. */
export const word = (truth: number): (typeof words)[number] => words[truth] ?? "unknown"
