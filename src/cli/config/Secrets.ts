/** A secret of the configuration, from where it is: an environment variable, or a file that only its owner can read. */

import { createHash, timingSafeEqual } from "node:crypto"
import { statSync } from "node:fs"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { StoreFailure } from "../../domain/StoreFailure.js"
import type * as Token from "../../services/Token.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

/** Nothing usable is there. `why` says where and how to mend it, and never repeats a secret. */
class Missing extends Data.TaggedError("Missing")<{
  readonly why: string
  readonly cause?: unknown
}> {}

/** The text as it stands there, line break and all; `what` names it for people: `the password`. */
const read = (
  place: Token.Place,
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

// The password of the PostgreSQL store, from the environment or a file that only its owner can read.

/** Without the line break at its end. Undefined place: none is needed, or the server asks for none. */
export const readStorePassword = (
  place: Token.Place | undefined,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Redacted.Redacted | undefined, StoreFailure> =>
  place === undefined
    ? Effect.succeed(undefined)
    : read(place, environment, "the password").pipe(
        Effect.map((text) => Redacted.make(text.replace(/\r?\n$/, ""))),
        Effect.mapError(
          ({ cause, why }) =>
            new StoreFailure({ action: storePasswordAction, hint: `store_password: ${why}`, cause })
        )
      )

const storePasswordAction = "could not find the password of the store"

// The key that whoever asks for figures has to show: from the environment or a file that only its owner can read.

type Key = Redacted.Redacted

/** Shorter ones can be guessed, characters. */
const leastLength = 16

/** Without spaces around it. No message repeats it. */
export const readHealthKey = (
  place: Token.Place,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Key, ReturnType<typeof stop>> =>
  read(place, environment, "the key").pipe(
    Effect.catchAll(({ why }) => wrong(why)),
    Effect.map((text) => text.trim()),
    Effect.flatMap((text) =>
      /^[\x21-\x7e]+$/.test(text) && text.length >= leastLength
        ? Effect.succeed(Redacted.make(text))
        : wrong(
            `${sourceOf(place)} holds no key of at least ${leastLength} letters and digits without spaces; make one with: openssl rand -hex 24`
          )
    )
  )

/** True when the header `Authorization` of a request shows the key: `Bearer KEY`. */
export const isShown = (key: Key, header: string | undefined): boolean => {
  const shown = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1]
  return shown !== undefined && timingSafeEqual(digest(shown), digest(Redacted.value(key)))
}

/** As long for every text, so that comparing tells nothing of it. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const wrong = (why: string) => Effect.fail(stop(1, `runner: http_key: ${why}`))

const sourceOf = (place: Token.Place): string =>
  place._tag === "File" ? `the file ${place.path}` : `the environment variable ${place.name}`
