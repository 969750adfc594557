/** A saved plan: written for review, and refused unless it is exactly what was reviewed, for this account, in time. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Plan, version } from "../engine/decide/Plan.js"
import * as Summary from "../engine/decide/Summary.js"
import * as Duration from "./Duration.js"
import { stop } from "./Stop.js"

/** How long a saved plan may wait for its approval. */
export const maxAgeMs = 24 * 3_600_000

/** Clocks of two machines may differ by this much. */
const futureMs = 5 * 60_000

const encode = Schema.encode(Schema.parseJson(Plan, { space: 2 }))

/** The text of a saved plan; also what `plan --format json` prints. */
export const text = (plan: Plan): Effect.Effect<string> => Effect.orDie(encode(plan))

export const write = (path: string, plan: Plan) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.writeFileString(path, `${yield* text(plan)}\n`)
  }).pipe(Effect.mapError((error) => stop(1, `${path} cannot be written: ${error.message}`)))

/** Reads a saved plan for an account; every refusal says what to do. */
export const read = (path: string, account: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const content = yield* files
      .readFileString(path)
      .pipe(Effect.mapError((error) => stop(1, `${path} cannot be read: ${error.message}`)))
    return yield* check(path, content, account, yield* Clock.currentTimeMillis)
  })

/** What `read` does with the text. `nowMs` is the account's clock. */
export const check = (path: string, content: string, account: string, nowMs: number) =>
  Effect.gen(function* () {
    const refuse = (why: string) => stop(1, `${path} ${why}`)
    const json = yield* Effect.try({
      try: () => JSON.parse(content) as unknown,
      catch: () => refuse("is no plan: it is not JSON. Make one with: bidhelm plan --out plan.json")
    })
    const found = typeof json === "object" && json !== null && "version" in json ? json.version : undefined
    if (typeof found === "number" && found !== version) {
      return yield* refuse(`is a plan of version ${found}; this program reads version ${version}. Plan again.`)
    }
    const plan = yield* Schema.decodeUnknown(Plan)(json, { onExcessProperty: "error" }).pipe(
      Effect.mapError((error) => {
        const first = ParseResult.ArrayFormatter.formatErrorSync(error)[0]
        return refuse(`is no plan, or was edited: ${first?.path.join(".")}: ${first?.message}. Plan again.`)
      })
    )
    if (Summary.idOf(plan) !== plan.id) {
      return yield* refuse("was edited after it was made; nothing was sent. Plan again, and change the rules instead.")
    }
    if (plan.account !== account) {
      return yield* refuse(`is for account "${plan.account}", not "${account}". Say --account ${plan.account}.`)
    }
    const ageMs = nowMs - Date.parse(plan.createdAt)
    if (ageMs > maxAgeMs || ageMs < -futureMs) {
      const age = ageMs < 0 ? "in the future" : `${Duration.format(ageMs)} ago`
      return yield* refuse(`was made ${age}; a plan may be applied within 24 hours. Plan again.`)
    }
    return plan
  })
