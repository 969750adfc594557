/** The password of the PostgreSQL store, from the environment or a file that only its owner can read. */
import { readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { StoreFailure } from "../engine/run/Ports.js"
import type { TokenPlace } from "./Config.js"

/** Without the line break at its end. Undefined place: none is needed, or the server asks for none. */
export const read = (
  place: TokenPlace | undefined,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Redacted.Redacted | undefined, StoreFailure> =>
  Effect.suspend(() => {
    if (place === undefined) return Effect.succeed(undefined)
    return Effect.map(
      place._tag === "File" ? fromFile(place.path) : fromEnvironment(place.name, environment),
      (text) => Redacted.make(text.replace(/\r?\n$/, ""))
    )
  })

const fromEnvironment = (name: string, environment: Readonly<Record<string, string | undefined>>) => {
  const text = environment[name]
  return text === undefined || text === ""
    ? missing(`the environment variable ${name} is not set; put the password into it`)
    : Effect.succeed(text)
}

const fromFile = (path: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => ({ mode: statSync(path).mode, text: readFileSync(path, "utf8") }),
      catch: (cause) =>
        new StoreFailure({
          action,
          hint: `the file ${path} cannot be read; check store_password in bidhelm.yaml`,
          cause
        })
    }),
    ({ mode, text }) =>
      (mode & 0o077) === 0
        ? Effect.succeed(text)
        : missing(`the file ${path} can be read by others; run chmod 600 ${path}`)
  )

const action = "could not find the password of the store"

const missing = (hint: string) => Effect.fail(new StoreFailure({ action, hint, cause: undefined }))
