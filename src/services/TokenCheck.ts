/** What can be known about a call from the token alone, before anything is sent (field notes T01, T12). */
import { Forbidden, local, type MarketplaceError, Unauthorised } from "./MarketplaceError.js"
import * as Operation from "./Operation.js"
import type { Token } from "./Token.js"

/** Why this token cannot serve the operation; undefined when nothing speaks against it. */
export const objection = (
  facts: Operation.Facts,
  token: Token,
  nowMs: number
): MarketplaceError | undefined => {
  const forbidden = (text: string) => new Forbidden(local(facts.id, text))
  if (token.expiresAt !== undefined && token.expiresAt <= nowMs) {
    return new Unauthorised(local(facts.id, "the token has expired"))
  }
  if (Operation.limitOf(facts, token.kind) === undefined) {
    return forbidden(`not available to a token of the kind ${kindNames[token.kind]}`)
  }
  if (token.test && !facts.testHost) return forbidden("the test environment does not serve it")
  if (token.readOnly && facts.access === "write") return forbidden("the token is for reading only")
  if (token.categories !== undefined && !token.categories.has(facts.tokenCategory)) {
    return forbidden(`the token lacks the category ${categoryNames[facts.tokenCategory]}`)
  }
  return undefined
}

const kindNames = {
  personal: "Personal",
  service: "Service",
  base_with_secret: "Base with secret",
  base: "Base"
} as const

const categoryNames = {
  analytics: "Analytics",
  pricesAndDiscounts: "Prices and Discounts",
  marketplace: "Marketplace",
  promotion: "Promotion"
} as const
