/**
 * Lets a running `bidhelm run` do what a command would do, so that one process has the store and its limits. A command
 * that it cannot do is refused with what to do instead; only hold, resume and kill go on without it.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as ProcessLock from "../../store/clients/ProcessLock.js"
import type * as Config from "../config/Config.js"
import * as Output from "../terminal/Output.js"
import { exit, stop } from "../terminal/Stop.js"
import * as ConfigChange from "./ConfigChange.js"
import * as ControlClient from "./ControlClient.js"
import * as Forwarding from "./Forwarding.js"
import * as RunFolder from "./RunFolder.js"

/** True when the running program has done it; false when there is none. */
export const attempt = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const config = Forwarding.configOf(words)
    const read = ConfigChange.now(config)
    // Whatever is wrong with the configuration, the command itself says best.
    if (read === undefined) return false
    const address = RunFolder.socket(read)
    if (process.platform !== "win32" && !existsSync(address)) return false
    const holder = ProcessLock.holderOf(RunFolder.lock(read)) ?? "bidhelm run"
    if (Forwarding.isExclusive(words)) {
      if ((yield* found(address)) === "nobody") return false
      return yield* stop(1, `bidhelm run (${holder}) has the store; end it first: send it the signal TERM`)
    }
    if (Forwarding.asks(words)) {
      if ((yield* found(address)) !== "running") return false
      return yield* stop(
        1,
        `bidhelm run works here (${holder}) and cannot ask you. Give --yes, or ${saved(words)}`
      )
    }
    const asked = { argv: words, config: resolve(config), coloured: Output.coloured() }
    return yield* ControlClient.command(address, asked, (part) =>
      "err" in part
        ? Output.raw("err", part.err)
        : part.isText === true
          ? Output.text(part.out)
          : Output.raw("out", part.out)
    ).pipe(
      Effect.flatMap((code) => (code === 0 ? Effect.succeed(true) : Effect.fail(exit(code)))),
      Effect.catchTags({
        NotRunning: ({ foreign, hangs }) => {
          if (!hangs && foreign === undefined) return Effect.succeed(false)
          if (Forwarding.isUrgent(words))
            return Effect.as(Output.note(without(words, holder, read, foreign)), false)
          return stop(
            1,
            foreign ??
              `bidhelm run (${holder}) has the store and does not answer; end its process if it hangs`
          )
        },
        Refused: ({ message }) =>
          stop(1, `bidhelm run (${holder}) has the store and does not take this command: ${message}`)
      })
    )
  })

/** How to look before anything is sent, by the command that would have asked. */
const saved = ([name]: ReadonlyArray<string>): string => {
  switch (name) {
    case "undo":
      return "look first: bidhelm undo with --out undo.json, then bidhelm apply undo.json --yes"
    case "apply":
      return "look first: bidhelm plan --out plan.json, then bidhelm apply plan.json --yes"
    default:
      return "look first: the same with --plan"
  }
}

/** Who is behind the door; that of another user ends the command. */
const found = (address: string) =>
  Effect.matchEffect(ControlClient.status(address), {
    onSuccess: () => Effect.succeed("running" as const),
    onFailure: ({ foreign, hangs }) =>
      foreign === undefined
        ? Effect.succeed(hangs ? ("hanging" as const) : ("nobody" as const))
        : Effect.fail(stop(1, foreign))
  })

/** A program that hangs may hang with the database in its hands; who stops it has another way then. */
const without = (
  [name]: ReadonlyArray<string>,
  holder: string,
  config: Config.Config,
  foreign?: string
): string => {
  const told = `${foreign ?? `bidhelm run (${holder}) does not answer`}; going on without it.`
  return name === "resume"
    ? told
    : `${told} Should the store be busy too: the file ${RunFolder.stopFile(config)} stops all sending.`
}
