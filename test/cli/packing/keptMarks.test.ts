/** Who has a mark by what is kept here. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as KeptMarks from "../../../src/cli/packing/KeptMarks.js"
import { AccountName } from "../../../src/domain/Ids.js"
import { identity, Mark } from "../../../src/engine/fulfilment/marks/Mark.js"
import { MarkVault } from "../../../src/services/ports/MarkVault.js"
import { codeOf } from "./PackTable.js"

it("a mark is of the order that was given it last, also of one that had another before", async () => {
  const given = (orderId: number, code: number) => ({
    orderId,
    key: "sgtin",
    fingerprint: `${orderId} ${code}`,
    marks: Redacted.make([codeOf(code)])
  })
  const holders = await KeptMarks.read({ name: AccountName("main") }, new Set()).pipe(
    Effect.provideService(MarkVault, {
      keep: () => Effect.void,
      of: () => Effect.succeed([]),
      // 11 had another, 12 was sold and came back, 11 is sent with its mark.
      since: () => Effect.succeed([given(11, 1), given(12, 2), given(11, 2)])
    }),
    Effect.runPromise
  )
  const orderOf = (code: number) => holders.get(identity(Mark.of("sgtin", codeOf(code))))?.orderId
  expect([orderOf(1), orderOf(2)]).toEqual([undefined, 11])
})
