/** Which bucket a call of an operation draws from. */
import type { AccountName } from "../domain/Ids.js"
import type { Bucket } from "./Limiter.js"
import * as Operation from "./Operation.js"
import type { Token } from "./Token.js"

/** In the test environment all operations of the marketplace host share one request per second (seed 000 "Limits"). */
const testBucket = { limitGroup: "marketplace.test", burst: 1, intervalMs: 1000 } as const

/** The bucket of an operation under an account's token; undefined when its kind is not served. */
export const of = (
  facts: Operation.Facts,
  account: AccountName,
  token: Pick<Token, "kind" | "test">
): Bucket | undefined => {
  const limit = Operation.prudentLimitOf(facts, token.kind)
  if (limit === undefined) return undefined
  const { burst, intervalMs, limitGroup } =
    token.test && facts.host === "marketplace" ? testBucket : { limitGroup: facts.limitGroup, ...limit }
  return {
    account,
    tokenKind: token.kind,
    limitGroup,
    burst,
    intervalMs,
    cost4xx: facts.cost4xx,
    ...(facts.quota === undefined ? {} : { quota: facts.quota })
  }
}
