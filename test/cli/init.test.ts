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
})
