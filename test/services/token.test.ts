import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import * as Token from "../../src/services/Token.js"

const jwt = (claims: unknown) =>
  `eyJhbGciOiJFUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`
const read = (text: string, overrides = {}) => Either.getOrThrow(Token.parse(text, "in the test", overrides))
const bits = (...numbers: ReadonlyArray<number>) => numbers.reduce((mask, n) => mask + 2 ** n, 0)

describe("a token's payload", () => {
  it("tells the kind, and what it cannot tell counts as Base", () => {
    assert.strictEqual(read(jwt({ acc: 3, for: "self" })).kind, "personal")
    assert.strictEqual(read(jwt({ acc: 4, for: "asid:1" })).kind, "service")
    assert.strictEqual(read(jwt({ acc: 1 })).kind, "base")
    assert.strictEqual(read(jwt({ acc: 9 })).kind, "base")
    assert.strictEqual(read(jwt({ acc: 3, for: "asid:1" })).kind, "base")
    for (const text of ["opaque", "a.b.c", `x.${Buffer.from("[1]").toString("base64url")}.y`]) {
      assert.strictEqual(read(text).kind, "base")
      assert.isUndefined(read(text).categories)
    }
    assert.strictEqual(read(jwt({ acc: 1 }), { kind: "base_with_secret" }).kind, "base_with_secret")
  })

  it("tells categories, read-only and test", () => {
    const both = read(jwt({ s: bits(3, 6) }))
    assert.deepStrictEqual([...both.categories!].sort(), ["pricesAndDiscounts", "promotion"])
    assert.isFalse(both.readOnly)
    const readOnly = read(jwt({ s: bits(6, 30), t: true }))
    assert.deepStrictEqual([...readOnly.categories!], ["promotion"])
    assert.isTrue(readOnly.readOnly)
    assert.isTrue(readOnly.test)
  })

  it("is never shown", () => {
    const text = jwt({ acc: 3, for: "self", s: 1 })
    const token = read(`Bearer ${text}\n`)
    assert.strictEqual(Redacted.value(token.value), text)
    assert.notInclude(JSON.stringify(token), text)
    assert.notInclude(String(token.value), text)
  })

  it("with letters no header may carry is refused without showing it", () => {
    const problem = Token.parse("abc\r\nX-Evil: 1", "in the test")
    assert.isTrue(Either.isLeft(problem) && problem.left.reason === "malformed")
    assert.isTrue(Either.isLeft(problem) && !problem.left.message.includes("abc"))
  })
})

describe("where a token comes from", () => {
  const file = (mode: number, content: string) =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/token`
      yield* files.writeFileString(path, content)
      yield* files.chmod(path, mode)
      return yield* Effect.either(Token.load({ _tag: "File", path }, {}))
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

  it.effect("a file of its owner alone", () =>
    Effect.gen(function* () {
      const token = yield* file(0o600, `${jwt({ acc: 3, for: "self" })}\n`)
      assert.isTrue(Either.isRight(token) && token.right.kind === "personal")
    })
  )

  it.effect("a file others can read is refused, with the command that mends it", () =>
    Effect.gen(function* () {
      for (const mode of [0o640, 0o604, 0o660]) {
        const token = yield* file(mode, "secret")
        assert.isTrue(Either.isLeft(token) && token.left.reason === "exposed")
        assert.isTrue(Either.isLeft(token) && /chmod 600 \S+\/token/.test(token.left.message))
      }
    })
  )

  it.effect("a missing file, an empty one and a missing variable each say what to do", () =>
    Effect.gen(function* () {
      const load = (place: Token.Place, environment = {}) =>
        Effect.flip(Token.load(place, environment)).pipe(Effect.provide(NodeFileSystem.layer))
      assert.include((yield* load({ _tag: "File", path: "/nowhere/token" })).message, "/nowhere/token")
      assert.include(
        (yield* load({ _tag: "Environment", name: "SHOP_TOKEN" })).message,
        "SHOP_TOKEN is not set"
      )
      assert.include(
        (yield* load({ _tag: "Environment", name: "T" }, { T: " " })).message,
        "There is no token"
      )
    })
  )

  it.effect("an expired token is named with its day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))
      const load = (exp: number) =>
        Effect.either(Token.load({ _tag: "Environment", name: "T" }, { T: jwt({ exp }) })).pipe(
          Effect.provide(NodeFileSystem.layer)
        )
      const expired = yield* load(Date.parse("2026-11-19T12:00:00Z") / 1000)
      assert.isTrue(Either.isLeft(expired) && expired.left.reason === "expired")
      assert.isTrue(Either.isLeft(expired) && expired.left.message.includes("2026-11-19"))
      assert.isTrue(Either.isRight(yield* load(Date.parse("2026-11-21T00:00:00Z") / 1000)))
    })
  )
})
