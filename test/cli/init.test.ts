import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/cli/Config.js"
import * as Init from "../../src/cli/Init.js"

describe("the starter configuration", () => {
  it("is one that the program itself accepts", () => {
    const config = Either.getOrThrow(Config.read("bidhelm.yaml", Init.configuration(Init.defaults)))
    expect(config.accounts).toEqual([
      {
        name: "main",
        token: { _tag: "Environment", name: "BIDHELM_TOKEN" },
        tokenKind: undefined,
        sandbox: true
      }
    ])
  })

  it("keeps what was answered, whatever it is, or is refused; it never means something else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (account) => {
        const read = Config.read("bidhelm.yaml", Init.configuration({ ...Init.defaults, account }))
        if (Either.isRight(read)) expect(read.right.accounts[0]?.name).toBe(account)
      })
    )
  })

  it("asks again for an answer that the file would be refused for, and says why", () => {
    expect(Init.refusal("advertHost", "")).toContain("A host is an https:// address")
    expect(Init.refusal("calendarHost", "calendar")).toContain("A host is an https:// address")
    expect(Init.refusal("timeZone", "Moscow")).toBe("Name a city: Europe/Moscow.")
    expect(Init.refusal("marketplaceHost", "")).toBeUndefined()
  })

  it("is accepted with every answer that is taken", () => {
    const some = fc.constantFrom("", "main", "A_1", "https://one.example", "http://two", "Asia/Omsk", "x y")
    const asked = ["account", "tokenVariable", "advertHost", "marketplaceHost", "timeZone"] as const
    fc.assert(
      fc.property(fc.constantFrom(...asked), some, (name, answer) => {
        fc.pre(Init.refusal(name, answer) === undefined)
        const answers = { ...Init.defaults, sandbox: false, [name]: answer }
        const written = Init.configuration(answers)
        expect(Either.isRight(Config.read("bidhelm.yaml", written))).toBe(true)
      })
    )
  })
})
