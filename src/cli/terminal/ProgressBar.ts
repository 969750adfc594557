/**
 * Draws the engine's progress on stderr: a bar that redraws itself when a person watches, otherwise a line every
 * few seconds, so that a log shows that something moves without filling up.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import * as Progress from "../../domain/Progress.js"
import * as Output from "./Output.js"

const barWidth = 24
const redrawMs = 80
const lineMs = 5000

/** `[████░░░░] 12/40`. */
const bar = (done: number, total: number): string => {
  const filled = total === 0 ? 0 : Math.round((barWidth * Math.min(done, total)) / total)
  return `[${"█".repeat(filled)}${"░".repeat(barWidth - filled)}] ${done}/${total}`
}

/** Runs an effect while its progress is shown; the bar is wiped at the end. */
export const shown = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    // Real time: a sandbox account's clock may run many times faster.
    const clock = Clock.make()
    const steps = new Map<string, Progress.Step>()
    const watched = Output.watched()
    let lastMs = clock.unsafeCurrentTimeMillis()
    let drawn = false
    const report = (step: Progress.Step): Effect.Effect<void> =>
      Effect.suspend(() => {
        steps.set(step.stage, step)
        if (step.waitMs !== undefined) return Output.note(waiting(step.total, step.waitMs))
        const nowMs = clock.unsafeCurrentTimeMillis()
        if (nowMs - lastMs < (watched ? redrawMs : lineMs)) return Effect.void
        lastMs = nowMs
        drawn = true
        if (watched) return Output.redraw(line(step))
        const told = overview(steps)
        return told === "" ? Effect.void : Output.note(told)
      })
    const wipe = Effect.suspend(() => (drawn && watched ? Output.redraw("") : Effect.void))
    return Effect.ensuring(Effect.provideService(effect, Progress.Progress, { report }), wipe)
  })

const waiting = (filed: number, waitMs: number): string =>
  `${Plural.of(filed, "change is", "changes are")} filed. The marketplace works ${Plural.choose(filed, "it", "them")} off now; what became of ${Plural.choose(filed, "it", "them")} is looked at in about ${Plural.of(Math.max(1, Math.ceil(waitMs / 60_000)), "minute")}. Who does not want to wait interrupts: the next run looks.`

const line = (step: Progress.Step): string => `${step.stage.padEnd(22)} ${bar(step.done, step.total)}`

const overview = (steps: ReadonlyMap<string, Progress.Step>): string =>
  [...steps.values()]
    .filter((step) => step.done < step.total || steps.size === 1)
    .map((step) => `${step.stage} ${step.done}/${step.total}`)
    .join(", ")
