/** When a token ends, as `doctor` says it. */
import { expect, it } from "vitest"
import * as TokenCheckup from "../../../src/cli/doctor/TokenCheckup.js"

const nowMs = Date.parse("2026-09-01T21:30:00Z")
const text = (iso: string) => TokenCheckup.expiryText(Date.parse(iso), nowMs, "Europe/Moscow")

it("is a day in the account's zone, and how long that is", () => {
  expect(text("2026-12-01T21:30:00Z")).toBe("expires on 2026-12-02, in 91 d")
  expect(text("2026-09-02T20:30:00Z")).toBe("expires on 2026-09-02, in 23 h")
})

it("is a year when it is far away", () => {
  expect(text("2099-11-01T00:00:00Z")).toBe("does not expire before 2099")
})

it("says that it is over, and that nobody knows", () => {
  expect(text("2026-08-31T00:00:00Z")).toBe("expired on 2026-08-31")
  expect(TokenCheckup.expiryText(undefined, nowMs, "Europe/Moscow")).toBe("expiry unknown")
})
