/** How V8 compiles what runs often. */
import { setFlagsFromString } from "node:v8"

/**
 * Has it inline less than half of what it does unless told (920 bytes of bytecode). Compiling takes processor time on other
 * threads, and most runs end before that is earned back: a plan of 100,000 rows takes a tenth less (docs/decisions/0131). Call it
 * before the program is loaded. A V8 that does not know the word says so on stderr and goes on.
 */
export const inlineLess = (): void => setFlagsFromString("--max-inlined-bytecode-size-cumulative=400")
