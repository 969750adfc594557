/**
 * Which process sends, and which others certainly do not any more. A process that hangs loses its lock, and somebody
 * else goes on; but a request that it was about to make may leave hours later, when it wakes. Only the end of the process
 * rules that out, not its silence.
 */
import * as Context from "effect/Context"

export class Senders extends Context.Reference<Senders>()("bidhelm/Senders", {
  defaultValue: (): {
    /** This process, among all that may use the store. */
    readonly name: string
    /** True when a process of that name has certainly ended. */
    readonly isOver: (name: string) => boolean
  } => ({ name: "", isOver: () => false })
}) {}
