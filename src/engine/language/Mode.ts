/** `mode:` of a policy, and what mode `approve` does without asking. */
import type { Kopecks } from "../../domain/Money.js"

/** `approve` waits for a person, but for what `auto_approve` lets go by itself. */
export type Mode = "preview" | "approve" | "apply" | "disabled"

/** True where changes are meant to be made, at once or when a person agrees. Previews never bend these. */
export const acts = ({ mode }: { readonly mode: Mode }): boolean => mode === "apply" || mode === "approve"

/** How far a policy in mode `approve` goes by itself. */
export interface AutoApprove {
  /** Farthest a bid may move within seven days from what a person last approved, basis points; 0 when absent. */
  readonly bidChangeBasisPoints?: number
  /** The most that one run's automatic changes may add to the spend of a day, by the estimate; unbounded when absent. */
  readonly moneyPerDayKopecks?: Kopecks
}

/** The part of a policy that says what becomes of its changes. */
export interface Moded {
  readonly mode: Mode
  /** Only in mode `approve`: what needs no person. */
  readonly autoApprove?: AutoApprove
}
