/** The lock of a program: an instant's look at it keeps nobody out, nor is it taken for a holder. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { expect, it } from "vitest"
import * as ProcessLock from "../../../src/store/clients/ProcessLock.js"

const place = () => join(mkdtempSync(join(tmpdir(), "lock-")), "table.lock")

/** What comes of it while another has the lock for so long. */
const beside = <A, E>(path: string, heldFor: "40 millis" | "5 seconds", what: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(
      Effect.scoped(Effect.zipRight(ProcessLock.hold(path, "another"), Effect.sleep(heldFor)))
    )
    yield* Effect.sleep("5 millis")
    return yield* Effect.either(what)
  }).pipe(Effect.scoped, Effect.runPromise)

it("begins packing though the lock is taken for an instant, as by a look at it", async () => {
  const path = place()
  const begun = Effect.scoped(Effect.as(ProcessLock.hold(path, "the table"), "begun"))
  expect(await beside(path, "40 millis", begun)).toEqual(Either.right("begun"))
  expect(await beside(path, "5 seconds", begun)).toMatchObject({
    _tag: "Left",
    left: { _tag: "Locked", holder: "another" }
  })
})

it("takes nobody who only looks for a holder", async () => {
  const path = place()
  expect(Either.isRight(await beside(path, "40 millis", ProcessLock.look(path)))).toBe(true)
  expect(Either.isLeft(await beside(path, "5 seconds", ProcessLock.look(path)))).toBe(true)
})
