/** Questions to whoever is at the terminal. */
import * as Prompt from "@effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { stop } from "./Stop.js"

/** Asks for a yes or a no, no unless it is said. Who leaves the question (Ctrl-C, Ctrl-D) ends the command: nothing was sent. */
export const ask = (message: string) =>
  Effect.catchTag(Prompt.run(Prompt.confirm({ message, initial: false })), "QuitException", () =>
    Effect.fail(stop(1, "nothing was sent"))
  )

/** As `ask`; a no ends the command, too. */
export const consent = (message: string) =>
  Effect.flatMap(ask(message), (isMeant) =>
    isMeant ? Effect.void : Effect.fail(stop(1, "nothing was sent"))
  )
