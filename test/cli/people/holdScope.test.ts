/** What `hold --target` and `resume --target` can mean. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import * as HoldScope from "../../../src/cli/people/HoldScope.js"

const read = (target: string, more: { readonly kill?: boolean } = {}) =>
  Effect.runSync(
    Effect.either(HoldScope.read({ policy: Option.none(), target: Option.some(target), ...more }))
  )

describe("the target of a hold", () => {
  it.each([
    "777",
    "777/12",
    "777/12/red shoes/0",
    "777/12/0777",
    "item/12",
    "1234567890123456",
    "order/4101006887",
    "supply/PLATFORM-GI-1",
    "promotion/1001",
    "promotion/1001/12"
  ])("is what changes are about: %s", (target) => {
    expect(read(target)).toMatchObject({ right: { kind: "target", what: target } })
  })

  it.each([
    ["0777", "0777"],
    ["0", "0"],
    ["777/012", "012"],
    ["777/0/shoes", "0"],
    ["item/012", "012"],
    ["12345678901234567", "12345678901234567"],
    ["777/9999999999999999", "9999999999999999"],
    ["order/012", "012"],
    ["promotion/1001/0", "0"]
  ])("is refused when it could hold nothing: %s", (target, number) => {
    const message = `--target ${target}: ${number} is no number that anything has, so nothing would be held; write it as the marketplace does, such as 777`
    expect(read(target)).toMatchObject({ left: { code: 1, message: expect.stringContaining(message) } })
  })

  it.each(["shoes", "777/", "item/12/3", "order/x", "supply/", "promotion/x", "item/", "-777", ""])(
    "has a shape: %s",
    (target) => {
      expect(read(target)).toMatchObject({ left: { message: expect.stringContaining("write CAMPAIGN, ") } })
      expect(read(target, { kill: false })).toMatchObject({ left: { _tag: "Stop" } })
    }
  )

  it("is lifted whatever it is: an earlier version took what holds nothing", () => {
    expect(read("0777", { kill: false })).toMatchObject({ right: { kind: "target", what: "0777" } })
  })
})
