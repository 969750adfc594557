import { expect, it } from "vitest"
import * as Outcomes from "../../src/marketplace/writes/Outcomes.js"
import { LimitStopped } from "../../src/services/Limiter.js"

it("a change whose call left no room in its limit says so by a code, and is told from one that could not be counted", () => {
  const stopped = (because: LimitStopped["because"]) =>
    new LimitStopped({ limitGroup: "advert.startCampaign", because, waitMs: 60_000, frozenUntil: undefined })
  expect(Outcomes.ofError(stopped("no_room"))).toMatchObject({ reason: { code: "limit_left_no_room" } })
  expect(Outcomes.ofError(stopped("not_kept"))).toMatchObject({ reason: { code: "limit_not_kept" } })
  expect(Outcomes.ofError(stopped("switched_off"))).toMatchObject({ reason: { code: "switched_off" } })
})
