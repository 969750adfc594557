/** Who has a mark by what is kept here. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as KeptMarks from "../../../src/cli/packing/KeptMarks.js"
import { AccountName } from "../../../src/domain/Ids.js"
import { identity, Mark } from "../../../src/engine/fulfilment/marks/Mark.js"
import { MarkVault } from "../../../src/services/ports/MarkVault.js"
import { codeOf } from "./PackTable.js"

it("every order that was given a mark may have it, also one that was given another since; who was given it last is asked first", async () => {
  const given = (orderId: number, code: number) => ({
    orderId,
    key: "sgtin",
    fingerprint: `${orderId} ${code}`,
    marks: Redacted.make([codeOf(code)])
  })
  const holders = await KeptMarks.read({ name: AccountName("main") }, new Set()).pipe(
    Effect.provideService(MarkVault, {
      keep: () => Effect.void,
      keepSeen: () => Effect.void,
      of: () => Effect.succeed([]),
      // 11 had another, 12 was sold and came back, 11 is sent with its mark.
      since: () => Effect.succeed([given(11, 1), given(12, 2), given(11, 2)])
    }),
    Effect.runPromise
  )
  const asked = KeptMarks.firstAsked(holders)
  const markOf = (code: number) => identity(Mark.of("sgtin", codeOf(code)))
  expect([asked.get(markOf(1)), asked.get(markOf(2))]).toEqual([11, 11])
  expect(holders.map(([mark, { isLast, orderId }]) => [mark, orderId, isLast])).toEqual([
    [markOf(1), 11, false],
    [markOf(2), 12, true],
    [markOf(2), 11, true]
  ])
})
