/** The password of the PostgreSQL store, from the environment or a file that only its owner can read. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { StoreFailure } from "../../engine/run/Ports.js"
import type { TokenPlace } from "./Config.js"
import * as SecretPlace from "./SecretPlace.js"

/** Without the line break at its end. Undefined place: none is needed, or the server asks for none. */
export const read = (
  place: TokenPlace | undefined,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Redacted.Redacted | undefined, StoreFailure> =>
  place === undefined
    ? Effect.succeed(undefined)
    : SecretPlace.read(place, environment, "the password").pipe(
        Effect.map((text) => Redacted.make(text.replace(/\r?\n$/, ""))),
        Effect.mapError(
          ({ cause, why }) => new StoreFailure({ action, hint: `store_password: ${why}`, cause })
        )
      )

const action = "could not find the password of the store"
