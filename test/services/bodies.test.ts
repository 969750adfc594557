/** Whatever a body holds, a call ends with its value or with an error of the vocabulary, never with a defect. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { afterEach, assert, describe } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import { effectOf } from "../../src/services/MarketplaceError.js"
import * as Depth from "../Depth.js"
import * as Bodies from "./Bodies.js"
import { type Fake, type Reply, withMarketplace, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

/** Bodies per operation; more by `BODIES=10000`. */
const total = Number(process.env.BODIES ?? Depth.cases(400, 1 / 16))
const share = (part: number) => Math.ceil(total * part)
const seed = Number(process.env.BODIES_SEED ?? 90)

const isVoid = (entry: Catalogue.Entry) => HttpApiSchema.isVoid(entry.endpoint.successSchema.ast)

/** How a call of the operation ends for each reply in turn. */
const endings = (entry: Catalogue.Entry, replies: ReadonlyArray<Reply>) => {
  let current: Reply = "silence"
  return withMarketplace(
    () => current,
    ({ client }: Fake) =>
      Effect.forEach(replies, (reply) =>
        Effect.suspend(() => {
          current = reply
          return Effect.exit(Effect.either(withPermit(client.call(entry.id, inputs[entry.id] ?? {}))))
        })
      )
  )
}

const operations = Catalogue.operations.map((entry) => [entry.id, entry] as const)
const readable = operations.filter(([, entry]) => !isVoid(entry) && entry.file === undefined)

/** Lets the test runner's messages through: these tests never wait for anything. */
afterEach(() => new Promise((resolve) => setImmediate(resolve)))

describe.each(operations)("%s", (id, entry) => {
  let drawn: ReadonlyArray<unknown> | undefined
  const whole = () => {
    drawn ??=
      isVoid(entry) || entry.file !== undefined ? [undefined] : Bodies.answers(entry, share(0.4), seed)
    return drawn
  }

  it.effect("reads what its declaration describes, also with fields nobody declared", () =>
    Effect.gen(function* () {
      if (!readable.some(([one]) => one === id)) return
      const surprises = fc.sample(Bodies.anything, { numRuns: share(0.4), seed })
      const bodies = whole().flatMap((value, i) => {
        const surprised = JSON.stringify(Bodies.surprised(value, surprises[i]))
        return i % 2 === 0 ? [surprised] : [surprised, JSON.stringify(value)]
      })
      const status = entry.success[0] ?? 200
      const ends = yield* endings(
        entry,
        bodies.map((body) => ({ status, body }))
      )
      for (const [i, end] of ends.entries()) {
        assert.isTrue(Exit.isSuccess(end) && end.value._tag === "Right", `${id}: ${bodies[i]}: ${end}`)
      }
    })
  )

  it.effect("tolerates a broken answer or calls it unreadable", () =>
    Effect.gen(function* () {
      const bodies = Bodies.broken(whole(), share(0.3), seed + 1)
      const ends = yield* endings(
        entry,
        bodies.map((body) => ({ status: entry.success[0] === 204 ? 200 : (entry.success[0] ?? 200), body }))
      )
      for (const [i, end] of ends.entries()) {
        if (Exit.isFailure(end)) assert.fail(`${id}: ${bodies[i]}: ${end}`)
        const unreadable = end.value._tag === "Left" && end.value.left._tag === "Undecodable"
        assert.isTrue(end.value._tag === "Right" || unreadable, `${id}: ${bodies[i]}`)
        if (end.value._tag === "Left") assert.strictEqual(effectOf(end.value.left), "unknown")
      }
    })
  )

  it.effect("makes no value of a field that is missing: it stays missing, or the answer is unreadable", () =>
    Effect.gen(function* () {
      const values = whole()
        .slice(0, Depth.cases(24, 1 / 8))
        .map((value) => ({ value, lacking: Bodies.lacking(value).slice(0, 40) }))
        .filter(({ lacking }) => lacking.length > 0)
      const status = entry.success[0] === 204 ? 200 : (entry.success[0] ?? 200)
      const reply = (body: unknown) => ({ status, body: JSON.stringify(body) })
      const wholeEnds = yield* endings(
        entry,
        values.map(({ value }) => reply(value))
      )
      const cases = values.flatMap(({ lacking }, i) => lacking.map((one) => ({ ...one, all: wholeEnds[i]! })))
      const ends = yield* endings(
        entry,
        cases.map(({ body }) => reply(body))
      )
      for (const [i, { all, body, path }] of cases.entries()) {
        const less = ends[i]!
        if (Exit.isFailure(all) || Exit.isFailure(less)) assert.fail(`${id} without ${path}: ${less}`)
        if (all.value._tag === "Left") continue
        if (less.value._tag === "Left") {
          assert.strictEqual(less.value.left._tag, "Undecodable", `${id} without ${path}`)
          continue
        }
        const known = new Set(Bodies.leaves(all.value.right))
        const made = Bodies.leaves(less.value.right).filter((leaf) => !known.has(leaf))
        assert.deepEqual(made, [], `${id} without ${path}: ${JSON.stringify(body)}`)
      }
    })
  )

  it.effect("tells every refusal by its status, documented or not", () =>
    Effect.gen(function* () {
      const refusals = Bodies.refusals(entry, share(0.25), seed + 2).filter(({ status }) => status !== 429)
      const ends = yield* endings(entry, refusals)
      for (const [i, end] of ends.entries()) {
        const { body, status } = refusals[i]!
        const tag =
          status === 401 ? "Unauthorised" : status === 402 || status === 403 ? "Forbidden" : "Refused"
        if (Exit.isFailure(end)) assert.fail(`${id}: ${status} ${body}: ${end}`)
        assert.isTrue(end.value._tag === "Left" && end.value.left._tag === tag, `${id}: ${status} ${body}`)
        if (end.value._tag === "Right" || !("code" in end.value.left)) continue
        assert.strictEqual(effectOf(end.value.left), "none")
        if (entry.host === "marketplace" && body.includes('"message":"as documented"')) {
          const documented = entry.errorCodes?.[status] ?? ["IncorrectRequest"]
          assert.include(documented, end.value.left.code)
        }
      }
    })
  )

  it.effect("knows that a connection which broke on the way may have had its effect", () =>
    Effect.gen(function* () {
      if (entry.retry === "safe") return
      const faults = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT"]
      const halves = Bodies.broken(whole(), share(0.05), seed + 3).map((body) => ({
        status: 200,
        body,
        headers: { "content-length": String(Buffer.byteLength(body) + 1) }
      }))
      const ends = yield* endings(entry, [...faults.map((fault) => ({ fault })), ...halves])
      for (const end of ends) {
        assert.isTrue(Exit.isSuccess(end) && end.value._tag === "Left", `${id}: ${end}`)
        if (Exit.isSuccess(end) && end.value._tag === "Left") {
          assert.strictEqual(end.value.left._tag, "Transport")
          assert.strictEqual(effectOf(end.value.left), "unknown")
        }
      }
    })
  )
})
