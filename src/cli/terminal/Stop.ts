/** How a command ends when it does not end well: an exit code of the contract, and what to say on stderr. */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { isLimit } from "../../services/MarketplaceError.js"

/** `message` is empty when everything has been said already. */
export class Stop extends Data.TaggedError("Stop")<{
  readonly code: 1 | 2 | 3 | 4 | 5
  readonly message: string
}> {}

export const stop = (code: Stop["code"], message = ""): Stop => new Stop({ code, message })

/** The end where a call limit is used up, in the same words whoever finds it. */
export const limited = (why: string): Stop => stop(5, `stopped by limits: ${why}`)

/** The end for a failed call: as `limited` where the limit left no room for it. `message` is the error's own when absent. */
export const ofCall = (error: Error, message = error.message): Stop =>
  isLimit(error) ? limited(message) : stop(1, message)

const codes = [1, 2, 3, 4, 5] as const

/** Ends as another process of this program did, which has said why. */
export const exit = (code: number): Stop => stop(codes.find((known) => known === code) ?? 1)

/** The end of a failed program: interruption is 130 as shells expect, a bug shows its trace. */
export const ending = (cause: Cause.Cause<unknown>): { readonly code: number; readonly message: string } => {
  if (Cause.isInterruptedOnly(cause)) return { code: 130, message: "interrupted" }
  const failure = Cause.failureOption(cause)
  if (Option.isNone(failure)) {
    return { code: 1, message: `this is a bug, please report it:\n${Cause.pretty(cause)}` }
  }
  const error = failure.value
  if (error instanceof Stop) return { code: error.code, message: error.message }
  if (error instanceof Error) return ofCall(error)
  return { code: 1, message: String(error) }
}
