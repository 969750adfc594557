/**
 * A test's wish to be killed at a point of the journal: `BIDHELM_STOP_AT=claimed`, or `claimed:3` for the third time. The
 * process then ends as by `kill -9`; with `claimed:1:STOP` it stands still there until it is told to go on (`kill -CONT`),
 * with `claimed:1:MEMORY` its memory runs out there.
 * `BIDHELM_POINTS=FILE` appends every point that is passed. Nothing happens unless a variable is set.
 */
import { appendFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as JournalPoints from "../../engine/door/JournalPoints.js"
import { stop } from "../terminal/Stop.js"

export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const file = process.env.BIDHELM_POINTS
    const wish = process.env.BIDHELM_STOP_AT
    if (!file && !wish) return Layer.succeed(JournalPoints.AtPoint, () => Effect.void)
    const [name = "", times = "1", how = "KILL"] = (wish ?? "").split(":")
    if (wish && !JournalPoints.points.some((point) => point === name)) {
      return yield* stop(1, `BIDHELM_STOP_AT must be one of ${JournalPoints.points.join(", ")}`)
    }
    let left = Number(times)
    return Layer.succeed(JournalPoints.AtPoint, (point) =>
      Effect.sync(() => {
        if (file) appendFileSync(file, `${point}\n`)
        if (point !== name || --left !== 0) return
        if (how === "MEMORY") runOut()
        process.kill(process.pid, how === "STOP" ? "SIGSTOP" : "SIGKILL")
      })
    )
  })
)

/** Fills the heap until the system ends the process; never returns. */
const runOut = (): never => {
  const held: Array<ReadonlyArray<number>> = []
  for (;;) held.push(Array.from({ length: 10_000 }, (_, i) => i + held.length))
}
