/** The file that notes the ends of the chains, when two programs write to it. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as SerialMarker from "../../../src/store/audit/SerialMarker.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const head = (seq: number, reconciled = 0, account = "shop"): SerialMarker.Head => ({
  account,
  seq,
  hash: `hash ${seq}`,
  reconciled
})
const of = (...heads: ReadonlyArray<SerialMarker.Head>) => new Map(heads.map((one) => [one.account, one]))

describe("what is noted of an account", () => {
  it.each([
    ["moves on", [head(5)], [head(5)], head(7), head(7)],
    ["stays when another program has noted more meanwhile", [head(5)], [head(9)], head(7), head(9)],
    ["moves on when another program has noted less", [head(5)], [head(6)], head(7), head(7)],
    ["goes back with a reconciliation", [head(5)], [head(5)], head(2, 100), head(2, 100)],
    ["stays back when somebody still held on to it", [head(5)], [head(2, 100)], head(5, 99), head(2, 100)],
    ["stays when it was not seen before", [], [head(9)], head(7), head(9)]
  ] as const)("%s", (_, seen, there, ours, expected) => {
    const path = join(folder, "below", "store.serial")
    SerialMarker.replaceHeads(path, of(), of(...there))
    SerialMarker.replaceHeads(path, of(...seen), of(ours, head(3, 0, "Shop")))
    expect([...SerialMarker.readHeads(path).values()]).toEqual([expected, head(3, 0, "Shop")])
    expect(readdirSync(join(folder, "below"))).toEqual(["store.serial"])
  })

  it("stays when nothing is said of it", () => {
    const path = join(folder, "store.serial")
    SerialMarker.replaceHeads(path, of(), of(head(5)))
    SerialMarker.replaceHeads(path, of(head(5)), of(head(3, 0, "Shop")))
    expect(SerialMarker.readHeads(path).get("shop")).toEqual(head(5))
  })
})

describe("work that many ask for", () => {
  it("is done anew for those who ask while it is done, once for all of them", async () => {
    const looks: Array<number> = []
    const told = await Effect.runPromise(
      Effect.gen(function* () {
        let stands = 0
        const look = yield* SerialMarker.shared(
          Effect.suspend(() => {
            looks.push(stands)
            return Effect.as(Effect.sleep(20), stands)
          })
        )
        const ask = (at: number) =>
          Effect.sleep(at).pipe(
            Effect.andThen(Effect.sync(() => ++stands)),
            Effect.flatMap((before) => Effect.map(look, (seen) => seen >= before))
          )
        return yield* Effect.forEach([0, 5, 6, 7, 8], ask, { concurrency: "unbounded" })
      })
    )
    expect(told).toEqual([true, true, true, true, true])
    expect(looks).toEqual([1, 5])
  })

  it("goes on after one that failed", async () => {
    const ended = await Effect.runPromise(
      Effect.gen(function* () {
        let tries = 0
        const look = yield* SerialMarker.shared(
          Effect.suspend(() => (++tries === 1 ? Effect.fail("the disk is full") : Effect.succeed(tries)))
        )
        return [yield* Effect.either(look), yield* Effect.either(look)].map((one) => one._tag)
      })
    )
    expect(ended).toEqual(["Left", "Right"])
  })
})
