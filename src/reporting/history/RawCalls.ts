/** Calls by hand that were sent as they are: of their runs the journal has no changes, only what was called and how it ended. */
import type { RunRecord } from "../../engine/door/Journal.js"

export interface RawCall {
  readonly operation: string
  /** As it was called, with its request. */
  readonly what: string
  readonly status: RunRecord["status"]
  readonly end: keyof typeof ends
}

/** What the end of a call means; what the marketplace said of it was told to whoever made it. */
export const ends = {
  done: "the marketplace accepted it",
  refused: "it was refused, and changed nothing",
  not_sent: "it was not sent",
  open: "nobody knows whether it arrived: look whether it came about before you call again",
  running: "it has not ended, or its process has: then the next run says so"
} as const

/** Undefined of a run that was no raw call. */
export const of = ({ counts, planId, status }: RunRecord): RawCall | undefined => {
  const [what, operation] = /^call (\S+) .*$/s.exec(planId) ?? []
  if (what === undefined || operation === undefined) return undefined
  const end = `${operation} not sent` in counts ? "not_sent" : endOf(status)
  return { operation, what, status, end }
}

/** `call deletePass {"path":{"passId":7}}: failed; it was refused, and changed nothing`. */
export const text = ({ end, status, what }: RawCall): string => `${what}: ${status}; ${ends[end]}`

const endOf = (status: RunRecord["status"]): RawCall["end"] => {
  switch (status) {
    case "done":
    case "running":
      return status
    case "failed":
      return "refused"
    default:
      return "open"
  }
}
