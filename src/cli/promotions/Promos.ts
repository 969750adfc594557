/** `bidhelm promos`: the calendar of promotions ahead. Reads only. */
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

export const command = Command.make("promos", Flags.session, function* (flags) {
  const Calendar = yield* Effect.promise(() => import("./Calendar.js"))
  yield* Calendar.show(flags)
})
