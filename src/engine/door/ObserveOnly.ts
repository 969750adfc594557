/**
 * Why nothing may be sent for an account at all. A store that was restored or exchanged does not know what was sent meanwhile: until
 * that is known it only looks. A token for reading only sends nothing either.
 */
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as OperatorHold from "../kinds/OperatorHold.js"

/** Since when, and why, nothing may be sent. */
export interface ObserveOnly {
  /** Epoch milliseconds. */
  readonly at: number
  readonly why: string
}

/** What a person is told who wants to send something. */
export const refusal = ({ why }: ObserveOnly, account: string): StoreFailure =>
  new StoreFailure({
    action: "nothing was sent",
    hint: `${why}. What was done meanwhile is not known here: run "${reconcile(account)}", which reads back and lifts this`,
    cause: undefined
  })

/** What a plan made meanwhile says of itself. */
export const notice = ({ why }: ObserveOnly, account: string): string =>
  `${why}. Nothing is sent until "${reconcile(account)}" has read back what was done meanwhile`

/** Why nothing is sent by a token that says of itself that it may not write. */
export const readOnlyToken = (account: string): string =>
  `the token of ${account} is for reading only; give the account one that may write`

const reconcile = (account: string): string => OperatorHold.command("bidhelm reconcile", { account })
