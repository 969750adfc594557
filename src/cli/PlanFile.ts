/** A saved plan on disk. Whether it may be applied is for `Review.reload` to say. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Plan } from "../engine/decide/Plan.js"
import { stop } from "./Stop.js"

const encode = Schema.encode(Schema.parseJson(Plan, { space: 2 }))

/** The text of a saved plan; also what `plan --format json` prints. */
export const text = (plan: Plan): Effect.Effect<string> => Effect.orDie(encode(plan))

export const write = (path: string, plan: Plan) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.writeFileString(path, `${yield* text(plan)}\n`)
  }).pipe(Effect.mapError((error) => stop(1, `${path} cannot be written: ${error.message}`)))

/** The JSON of a file. */
export const read = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const content = yield* files
      .readFileString(path)
      .pipe(Effect.mapError((error) => stop(1, `${path} cannot be read: ${error.message}`)))
    return yield* Effect.try({
      try: () => JSON.parse(content) as unknown,
      catch: () => stop(1, `${path} is no plan: it is not JSON. Make one with: bidhelm plan --out plan.json`)
    })
  })
