/** How V8 compiles what runs often, and how much garbage it lets stand. */
import { setFlagsFromString } from "node:v8"

/**
 * Has it inline less than half of what it does unless told (920 bytes of bytecode): compiling takes processor time on other
 * threads, and most runs end before that is earned back (docs/decisions/0131). And has it collect as soon as there is three
 * fifths more than was in use after the last time, where it would wait for up to four times as much, and every object begin among
 * the young, where it would guess which live long (docs/decisions/0133). Call it before the program is loaded. A V8 that does not
 * know a word says so on stderr and goes on.
 */
export const tune = (): void => {
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=400")
  setFlagsFromString("--heap-growing-percent=60")
  setFlagsFromString("--no-allocation-site-pretenuring")
}

/** Whether V8 knows the word for how long it waits before it compiles; those of Node 22 and later say an error of it. */
const knowsBudget = process.versions.v8.startsWith("11.")

/**
 * For what is over in a second: has V8 compile only what runs fifteen times as often as it would otherwise wait for, and give new
 * objects all their room as soon as they need more, where it would double it and copy them each time. It takes
 * the code that is kept beside a script only where the same was said when that was made (`build.mjs`).
 */
export const tuneShort = (): void => {
  if (knowsBudget) setFlagsFromString("--interrupt-budget=1000000")
  setFlagsFromString("--semi-space-growth-factor=16")
}
