/** A secret of the configuration, from where it is: an environment variable, or a file that only its owner can read. */
import { statSync } from "node:fs"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as RegularFile from "../terminal/RegularFile.js"
import type { TokenPlace } from "./Config.js"

/** Nothing usable is there. `why` says where and how to mend it, and never repeats a secret. */
export class Missing extends Data.TaggedError("Missing")<{
  readonly why: string
  readonly cause?: unknown
}> {}

/** The text as it stands there, line break and all; `what` names it for people: `the password`. */
export const read = (
  place: TokenPlace,
  environment: Readonly<Record<string, string | undefined>>,
  what: string
): Effect.Effect<string, Missing> =>
  place._tag === "File" ? fromFile(place.path) : fromEnvironment(place.name, environment, what)

const fromEnvironment = (
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  what: string
) =>
  Effect.suspend(() => {
    const text = environment[name]
    return text === undefined || text.trim() === ""
      ? new Missing({ why: `the environment variable ${name} is not set; put ${what} into it` })
      : Effect.succeed(text)
  })

const fromFile = (path: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => ({ mode: statSync(path).mode, text: RegularFile.readText(path) }),
      catch: (cause) =>
        new Missing({
          why:
            cause instanceof RegularFile.Irregular
              ? cause.message
              : `the file ${path} cannot be read; check the path in bidhelm.yaml`,
          cause
        })
    }),
    ({ mode, text }) =>
      (mode & 0o077) === 0
        ? Effect.succeed(text)
        : new Missing({ why: `the file ${path} can be read by others; run chmod 600 ${path}` })
  )
