/**
 * The one door for writes. Every marketplace operation that writes demands a `WritePermit` in its requirements,
 * so a write that went round the review does not compile. `issue` may be imported by `engine/door/Permit.ts`
 * alone (test/house.test.ts), which hands permits out for approved plans only.
 */
import * as Context from "effect/Context"
import type { AccountName, ChangeId, PlanId } from "./Ids.js"

const seal: unique symbol = Symbol("bidhelm/WritePermit")

/** What a permit stands for: the plan that was reviewed and approved, and the changes it covers. */
export interface Grant {
  readonly account: AccountName
  readonly planId: PlanId
  readonly changes: ReadonlySet<ChangeId>
}

export class WritePermit extends Context.Tag("bidhelm/WritePermit")<
  WritePermit,
  Grant & { readonly [seal]: true }
>() {}

/** Makes a permit. See the file's header for who may call this. */
export const issue = (grant: Grant): Context.Tag.Service<WritePermit> => ({ ...grant, [seal]: true })
