/** The file that notes the ends of the chains, when two programs write to it. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Head, SerialFile } from "../../../src/store/audit/SerialFile.js"
import * as SerialMarker from "../../../src/store/audit/SerialMarker.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const head = (seq: number, reconciled = 0, account = "shop"): Head => ({
  account,
  seq,
  hash: `hash ${seq}`,
  reconciled
})
const of = (...heads: ReadonlyArray<Head>) => new Map(heads.map((one) => [one.account, one]))

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
    new SerialFile(path).replace(of(), of(...there))
    new SerialFile(path).replace(of(...seen), of(ours, head(3, 0, "Shop")))
    expect([...new SerialFile(path).heads().values()]).toEqual([expected, head(3, 0, "Shop")])
    expect(readdirSync(join(folder, "below"))).toEqual(["store.serial"])
  })

  it("stays when nothing is said of it", () => {
    const path = join(folder, "store.serial")
    new SerialFile(path).replace(of(), of(head(5)))
    new SerialFile(path).replace(of(head(5)), of(head(3, 0, "Shop")))
    expect(new SerialFile(path).heads().get("shop")).toEqual(head(5))
  })
})

describe("a file that is kept in mind", () => {
  it("is read anew when another program has written it", () => {
    const path = join(folder, "store.serial")
    const [one, other] = [new SerialFile(path), new SerialFile(path)]
    one.replace(of(), of(head(5)))
    other.replace(other.heads(), of(head(7)))
    expect(one.heads()).toEqual(of(head(7)))
    rmSync(path)
    expect(one.heads()).toEqual(of())
  })

  it("stays what it was when it could not be written", () => {
    const path = join(folder, "store.serial")
    const one = new SerialFile(path)
    one.replace(of(), of(head(5)))
    mkdirSync(`${path}.${process.pid}.new`)
    expect(() => one.replace(one.heads(), of(head(7)))).toThrow()
    expect(one.heads()).toEqual(of(head(5)))
  })
})

describe("work for those who ask", () => {
  it("is done for all who ask while it is done before, at once, and never for one who asks later", async () => {
    const done: Array<string> = []
    await Effect.runPromise(
      Effect.gen(function* () {
        const work = yield* SerialMarker.gathered((asked) =>
          Effect.zipRight(
            Effect.sync(() => done.push(`begins for ${[...asked].join(" ")}`)),
            Effect.as(Effect.sleep(20), undefined)
          )
        )
        const ask = (one: string, i: number) =>
          Effect.sleep(i * 2).pipe(
            Effect.andThen(work(one)),
            Effect.andThen(() => void done.push(one))
          )
        yield* Effect.forEach(["a", "b", "c", "d"], ask, { concurrency: "unbounded" })
        yield* ask("e", 0)
      })
    )
    expect(done).toEqual(["begins for a", "a", "begins for b c d", "b", "c", "d", "begins for e", "e"])
  })

  it("goes on after one that failed", async () => {
    const ended = await Effect.runPromise(
      Effect.gen(function* () {
        const work = yield* SerialMarker.gathered((asked) =>
          asked.has("a") ? Effect.fail("the disk is full") : Effect.void
        )
        return [yield* Effect.either(work("a")), yield* Effect.either(work("b"))].map((one) => one._tag)
      })
    )
    expect(ended).toEqual(["Left", "Right"])
  })
})
