import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Model from "../../../src/sandbox/market/model/Model.js"

const problems = (text: string) => Either.getOrElse(Either.flip(Model.parse(text)), () => [])

describe("a market is chosen by a name and by parts that differ from it", () => {
  it("is the plain one where nothing is said, or only parts are", () => {
    expect(Either.getOrThrow(Model.parse(""))).toEqual(Model.plain)
    expect(Either.getOrThrow(Model.parse("plain"))).toEqual(Model.plain)
    expect(Either.getOrThrow(Model.parse(" rivals = drift "))).toEqual({ ...Model.plain, rivals: "drift" })
  })

  it("takes what is said after the name from the named one", () => {
    expect(Either.getOrThrow(Model.parse("hard,rivals=still,price=second"))).toEqual({
      ...Model.named.hard,
      rivals: "still",
      price: "second"
    })
  })

  it("tells all problems at once, each with what could be written instead", () => {
    expect(problems("harsh,rivals=stil,mood=bad,returns=some,returns=none,lean")).toEqual([
      '"harsh" is no market; write plain, lean or hard',
      'rivals may be still or drift, not "stil"',
      '"mood" is no part of a market; there are clusters, counts, carts, curve, rivals, answers, ctr, levels, statistics, returns, season, stock or price',
      "returns is said twice",
      '"lean" must be the first word, or parts before it would be lost'
    ])
  })

  it("knows no words of the language's own objects", () => {
    expect(problems("toString,constructor=x")).toHaveLength(2)
  })
})

describe("of the named markets", () => {
  it("the hard one differs from the plain one in all but its clusters, carts and price", () => {
    const same = Object.keys(Model.parts).filter(
      (part) => Model.named.hard[part as Model.Part] === Model.plain[part as Model.Part]
    )
    expect(same).toEqual(["clusters", "carts", "price"])
  })
})
