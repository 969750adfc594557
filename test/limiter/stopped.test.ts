import { expect, it } from "vitest"
import { LimitStopped, tellsOf } from "../../src/services/Limiter.js"

it("a call that its limit stopped is recognised in the journal's words, a refusal is not", () => {
  const stopped = new LimitStopped({
    limitGroup: "advert.startCampaign",
    waitMs: 60_000,
    frozenUntil: undefined
  })
  expect(tellsOf(`not sent: ${stopped.message}`)).toBe(true)
  expect(tellsOf("the marketplace refused it: budget is empty")).toBe(false)
})
