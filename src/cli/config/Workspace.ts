/** The files a command works on: the configuration, and the account that is meant. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Render from "../../engine/language/problems/Render.js"
import * as FileHints from "../../store/clients/FileHints.js"
import * as Duration from "../terminal/Duration.js"
import * as Output from "../terminal/Output.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"
import * as Config from "./Config.js"

/** Reads the configuration; its problems are printed and end the command with 1. */
export const config = (path: string) =>
  Effect.gen(function* () {
    const content = yield* Effect.try({
      try: () => RegularFile.readText(path),
      catch: (error) =>
        FileHints.codeOf(error) === "ENOENT"
          ? stop(1, `there is no ${path} here; write one with: bidhelm init`)
          : stop(1, RegularFile.why(path, error))
    })
    const read = Config.read(path, content)
    if (Either.isRight(read)) return read.right
    yield* Output.note(Render.all(read.left.problems, new Map([[path, read.left.source]])))
    return yield* stop(1, `${path} was not accepted`)
  })

/** The account that is named, or the only one. */
export const account = (config: Config.Config, name: Option.Option<string>) => {
  const names = config.accounts.map((one) => one.name).join(", ")
  const found = Option.match(name, {
    onNone: () => (config.accounts.length === 1 ? config.accounts[0] : undefined),
    onSome: (wanted) => config.accounts.find((one) => one.name === Config.accountName(wanted))
  })
  if (found !== undefined) return Effect.succeed(found)
  return Effect.fail(
    Option.match(name, {
      onNone: () => stop(1, `there are several accounts (${names}); choose one with --account`),
      onSome: (wanted) => stop(1, `there is no account "${wanted}"; there is: ${names}`)
    })
  )
}

/** `--max-wait`, or what the configuration says, or no bound. */
export const maxWaitMs = (config: Config.Config, flag: Option.Option<string>) =>
  Option.match(flag, {
    onNone: () => Effect.succeed(config.maxWaitMs ?? Number.POSITIVE_INFINITY),
    onSome: (text) => {
      const ms = Duration.parse(text)
      return ms === undefined
        ? Effect.fail(stop(1, `--max-wait ${text}: write a duration such as 90s, 10m or 2h`))
        : Effect.succeed(ms)
    }
  })
