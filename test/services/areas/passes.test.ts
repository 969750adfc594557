import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import { OfficeId, PassId } from "../../../src/domain/Ids.js"
import * as Passes from "../../../src/services/areas/passes/Passes.js"
import { PassBody } from "../../../src/services/endpoints/Passes.js"
import { json, type Reply, type Sent, withPermit } from "../FakeMarketplace.js"
import { hurried, on, writes } from "./OneSupply.js"

const draft: Passes.Draft = {
  firstName: "Anna",
  lastName: "Petrova",
  carModel: "Gazelle Next",
  carNumber: "А123ВС777",
  officeId: 15
}
const fields = Either.getOrThrow(Passes.check(draft))
const pass = (id: number) => PassId.make(id)
const problems = (changed: Partial<Passes.Draft>) =>
  Either.match(Passes.check({ ...draft, ...changed }), { onLeft: (all) => all, onRight: () => [] })

describe("pass fields", () => {
  test("name everything that is wrong at once", () => {
    const all = problems({ firstName: " ", lastName: "Li", carModel: "", carNumber: "A-1", officeId: 0 })
    assert.deepStrictEqual(
      all.map((one) => one.split(" ")[0]),
      ["firstName", "firstName", "carModel", "carNumber", "carNumber", "officeId"]
    )
  })

  test.each([
    ["short names together", { firstName: "Li", lastName: "Bo" }, "have 4 characters; allowed are 6 to 100"],
    ["long names together", { firstName: "a".repeat(50), lastName: "b".repeat(51) }, "have 101 characters"],
    ["a long model", { carModel: "m".repeat(101) }, "shorten it to 100"],
    ["a short plate", { carNumber: "A1234" }, "has 5 characters"],
    ["a long plate", { carNumber: "A123456789" }, "has 10 characters"],
    ["a plate with a blank", { carNumber: "A123 BC" }, "leave out blanks and dashes"],
    ["a broken office", { officeId: 1.5 }, "is not an office"]
  ])("refuse %s", (_, changed, words) => {
    assert.lengthOf(problems(changed), 1)
    assert.include(problems(changed)[0], words)
  })

  test("stand at their bounds, and lose the blanks at their ends", () => {
    assert.deepStrictEqual(problems({ firstName: "Ян", lastName: "Фёст", carNumber: "a1b2c3" }), [])
    assert.deepStrictEqual(problems({ firstName: "a".repeat(50), lastName: "b".repeat(50) }), [])
    const trimmed = Either.getOrThrow(Passes.check({ ...draft, firstName: " Anna ", carModel: " x " }))
    assert.strictEqual(trimmed.firstName, "Anna")
    assert.strictEqual(trimmed.carModel, "x")
  })

  const word = fc.string({ unit: fc.constantFrom("a", "Я", "7", " ", "-", "é", "😀"), maxLength: 60 })
  const drafts = fc.record({
    firstName: word,
    lastName: word,
    carModel: fc.string({ maxLength: 110 }),
    carNumber: fc.oneof(word, fc.stringMatching(/^[A-Z0-9]{5,10}$/)),
    officeId: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double())
  })

  test("pass here exactly when the request would leave, blanks at the ends aside", () => {
    const leaves = Schema.is(PassBody)
    fc.assert(
      fc.property(
        fc.oneof(
          drafts,
          drafts.map((drawn) => ({ ...draft, carModel: drawn.carModel }))
        ),
        (drawn) => {
          const checked = Passes.check(drawn)
          const trimmed = {
            ...drawn,
            firstName: drawn.firstName.trim(),
            lastName: drawn.lastName.trim(),
            carModel: drawn.carModel.trim(),
            carNumber: drawn.carNumber.trim()
          }
          assert.strictEqual(Either.isRight(checked), leaves(trimmed))
          if (Either.isLeft(checked)) assert.isAbove(checked.left.length, 0)
        }
      ),
      { numRuns: 1000 }
    )
  })
})

describe("passes", () => {
  const row = {
    id: 301,
    firstName: "Anna",
    lastName: "Petrova",
    carModel: "Gazelle Next",
    carNumber: "А123ВС777",
    officeId: 15,
    officeName: "North",
    officeAddress: "Road 1",
    dateEnd: "1970-01-03 03:00:00+03:00"
  }
  const twoDaysMs = 172_800_000

  test.each([
    ["2026-11-21 13:05:00+03:00", "2026-11-21T10:05:00Z"],
    ["2026-11-21 13:05:00 +0300", "2026-11-21T10:05:00Z"],
    ["2026-11-21 13:05:00.5Z", "2026-11-21T13:05:00.5Z"],
    ["2026-11-21T13:05:00+00:00", "2026-11-21T13:05:00Z"],
    ["2026-11-21 13:05:00", "2026-11-21T10:05:00Z"]
  ])("end at %s (O09, T13)", (text, instant) => {
    assert.strictEqual(Passes.dateEnd(text), Date.parse(instant))
  })

  test.each([[undefined], [""], ["tomorrow"], ["2026-13-40 10:00:00"], ["2026-11-21"]])(
    "have no known end when it says %s",
    (text) => {
      assert.isUndefined(Passes.dateEnd(text))
    }
  )

  it.effect("admit until their end; the marketplace may list ended ones too (O24)", () =>
    on(
      { "GET /passes": json([row, { id: 302, dateEnd: null }, { id: 303, dateEnd: "odd" }]) },
      ({ client }) =>
        Effect.gen(function* () {
          const listed = yield* Passes.make(client).listAll
          assert.deepStrictEqual(listed[0], {
            passId: pass(301),
            firstName: "Anna",
            lastName: "Petrova",
            carModel: "Gazelle Next",
            carNumber: "А123ВС777",
            officeId: OfficeId.make(15),
            officeName: "North",
            officeAddress: "Road 1",
            validUntilMs: twoDaysMs
          })
          assert.deepStrictEqual(
            Passes.live(listed, twoDaysMs).map(({ passId }) => passId),
            [pass(302), pass(303)]
          )
        })
    )
  )

  it.effect.each([[null], [[]]])("and offices may be none: %j", ([body]) =>
    on({ "GET /offices": json(body), "GET /passes": json(body) }, ({ client }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Passes.make(client).listAll, [])
        assert.deepStrictEqual(yield* Passes.make(client).offices, [])
      })
    )
  )

  it.effect("are asked for by the offices that are listed", () =>
    on({ "GET /offices": json([{ id: 15, name: "North", address: null }]) }, ({ client }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Passes.make(client).offices, [
          { officeId: OfficeId.make(15), name: "North", address: undefined }
        ])
      })
    )
  )

  it.effect("are made from checked fields, in a bucket of one call in ten minutes", () =>
    on({ "GET /passes": json([]), "POST /passes": json({ id: 301 }, 201) }, ({ buckets, client, sent }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* withPermit(Passes.make(client).create(fields)), pass(301))
        assert.deepStrictEqual(writes(sent)[0]?.body, draft)
        assert.deepInclude(buckets[1], {
          limitGroup: "marketplace.passCreate",
          burst: 1,
          intervalMs: 600_000,
          cost4xx: 10
        })
      })
    )
  )

  /** Lists `before` to the first question and `after` to later ones; the write gets no answer. */
  const unanswered = (method: string, before: ReadonlyArray<object>, after: ReadonlyArray<object>) => {
    const lists = (_: Sent, nth: number): Reply => json(nth === 0 ? before : after)
    return { "GET /passes": lists, [`${method} `]: { fault: "ECONNRESET" } }
  }

  it.effect("without an answer are looked for, and never made again", () =>
    hurried(
      on(unanswered("POST", [{ ...row, id: 300 }], [{ ...row, id: 300 }, row]), ({ client, sent }) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* withPermit(Passes.make(client).create(fields)), pass(301))
          assert.lengthOf(writes(sent), 1)
        })
      )
    )
  )

  it.effect("that did not come into being leave the error of the call", () =>
    hurried(
      on(unanswered("POST", [row], [row]), ({ client, sent }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(withPermit(Passes.make(client).create(fields)))
          assert.strictEqual(error._tag, "Transport")
          assert.lengthOf(writes(sent), 1)
        })
      )
    )
  )
})
