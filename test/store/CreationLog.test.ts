/** What was created without a key, as the store remembers it. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { type Creation, CreationLog } from "../../src/engine/door/CreationLog.js"
import * as CreationLogSql from "../../src/store/journal/CreationLogSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Fixture from "./Fixture.js"

const inStore = <A>(use: (log: CreationLog["Type"]) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const filename = join(yield* Fixture.folder, "store.sqlite")
        const store = CreationLogSql.layer.pipe(
          Layer.provide(Migrations.layer),
          Layer.provide(Fixture.client({ filename }))
        )
        return yield* Effect.flatMap(CreationLog, use).pipe(Effect.provide(store))
      })
    )
  )

const autumn = { account: "shop", operation: "createCampaign", marker: "autumn" }

const meant = (id: string, storedAt: number, more: Partial<Creation> = {}): Creation => ({
  lane: "ads",
  ...autumn,
  id,
  requestHash: "hash",
  beforeIds: [],
  state: "claimed",
  foundId: undefined,
  reason: undefined,
  storedAt,
  ...more
})

describe("what was made under a name", () => {
  const nowMs = 1_800_000_000_000
  const applied = (log: CreationLog["Type"], id: string, foundId: string, atMs: number) =>
    log.move(id, ["claimed"], "applied", { nowMs: atMs, foundId })

  it("is the one known last, with the moment it was known and not the one it was meant at", () =>
    inStore((log) =>
      Effect.gen(function* () {
        yield* log.begin(meant("first", nowMs))
        yield* log.begin(meant("second", nowMs + 1))
        expect(yield* log.made(autumn)).toBeUndefined()
        yield* applied(log, "second", "1002", nowMs + 50)
        yield* applied(log, "first", "1001", nowMs + 3_600_000)
        expect(yield* log.made(autumn)).toEqual({ foundId: "1001", knownAt: nowMs + 3_600_000 })
      })
    ))

  it("is of that account, operation and name, and has an id", () =>
    inStore((log) =>
      Effect.gen(function* () {
        yield* log.begin(meant("one", nowMs, { account: "Shop" }))
        yield* log.begin(meant("two", nowMs, { operation: "createSupply" }))
        yield* log.begin(meant("three", nowMs, { marker: "Autumn" }))
        for (const id of ["one", "two", "three"]) yield* applied(log, id, "7", nowMs)
        yield* log.begin(meant("four", nowMs))
        yield* log.move("four", ["claimed"], "unknown", { nowMs })
        expect(yield* log.made(autumn)).toBeUndefined()
        expect(yield* log.open("shop")).toMatchObject([{ id: "four", state: "unknown", storedAt: nowMs }])
      })
    ))
})
