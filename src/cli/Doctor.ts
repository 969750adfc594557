/** `bidhelm doctor`: one line per check, each with what to do when it is not well. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

export const command = Command.make(
  "doctor",
  { json: Flags.json, config: Flags.config, account: Flags.account },
  (flags) =>
    Effect.gen(function* () {
      const Checkup = yield* Effect.promise(() => import("./Checkup.js"))
      const findings = yield* Checkup.run(flags)
      if (flags.json) yield* Output.json("doctor", { checks: findings })
      else {
        const width = Math.max(...findings.map((finding) => finding.check.length))
        for (const { check, says, todo, well } of findings) {
          yield* Output.data(`${well ? "ok     " : "problem"}  ${check.padEnd(width)}  ${says}`)
          if (todo !== undefined) yield* Output.data(`${" ".repeat(width + 11)}→ ${todo}`)
        }
      }
      if (findings.some((finding) => !finding.well)) return yield* stop(1)
    })
).pipe(Command.withDescription(help("doctor")))
