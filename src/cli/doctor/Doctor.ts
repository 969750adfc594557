/** `bidhelm doctor`: one line per check, each with what to do when it is not well. */
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import type { Finding } from "./Finding.js"

export const command = Command.make(
  "doctor",
  { json: Flags.json, config: Flags.config, account: Flags.account },
  function* (flags) {
    const Checkup = yield* Effect.promise(() => import("./Checkup.js"))
    const findings = yield* Checkup.run(flags)
    if (flags.json) yield* Output.json("doctor", { checks: findings })
    else {
      const width = Math.max(...findings.map((finding) => finding.check.length))
      for (const finding of findings) {
        const { check, says, todo } = finding
        yield* Output.text(`${labelOf(finding)}  ${check.padEnd(width)}  ${says}`)
        if (todo !== undefined) yield* Output.text(`${" ".repeat(width + 11)}→ ${todo}`)
      }
    }
    if (findings.some((finding) => !finding.well)) return yield* stop(1)
  }
)

/** What is well and has something to do all the same is a warning. */
const labelOf = ({ isUnknown, todo, well }: Finding): string =>
  !well ? "problem" : isUnknown ? "unknown" : todo === undefined ? "ok     " : "warning"
