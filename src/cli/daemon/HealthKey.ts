/** The key that whoever asks for figures has to show: from the environment or a file that only its owner can read. */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TokenPlace } from "../config/Config.js"
import * as SecretPlace from "../config/SecretPlace.js"
import { stop } from "../terminal/Stop.js"

type Key = Redacted.Redacted

/** Shorter ones can be guessed, characters. */
const leastLength = 16

/** Without spaces around it. No message repeats it. */
export const read = (
  place: TokenPlace,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Key, ReturnType<typeof stop>> =>
  SecretPlace.read(place, environment, "the key").pipe(
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

const sourceOf = (place: TokenPlace): string =>
  place._tag === "File" ? `the file ${place.path}` : `the environment variable ${place.name}`
