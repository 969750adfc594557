/** What kinds of assembly have in common, and how they say that there is no way back. */
import { deadlines, type Kind } from "../Kind.js"

/** Their lane; and that no fact of a rule shows them, nor do they spend advertising money. */
export const assemblyKind = {
  lane: "orders",
  live: () => undefined,
  leaves: () => ({}),
  deadlineMs: deadlines.assembly,
  isSteered: false,
  isFree: true,
  isDearer: () => false
} satisfies Partial<Kind>

/** Of a kind that nothing takes back, with the reason for people. */
export const forGood = (why: string) =>
  ({ irreversible: () => why, inverse: () => why }) satisfies Partial<Kind>
