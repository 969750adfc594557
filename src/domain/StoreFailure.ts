/** What the store answers when it cannot do its work. */
import * as Data from "effect/Data"

/** The store could not be read or written; nothing was sent after it. `hint` says what to do. */
export class StoreFailure extends Data.TaggedError("StoreFailure")<{
  readonly action: string
  readonly hint: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.action}: ${this.hint}`
  }
}
