/** Intents of a plan while they are weighed side by side: what has become of each so far. */
import * as Groups from "../../../domain/Groups.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Gate from "../intents/Gate.js"
import type { Intent, Outcome } from "../intents/Intent.js"

export class Field {
  private readonly changed = new Map<Intent, Intent>()
  private slots: ReadonlyMap<string, ReadonlyArray<Intent>> | undefined

  constructor(private readonly intents: ReadonlyArray<Intent>) {}

  now(intent: Intent): Intent {
    return this.changed.get(intent) ?? intent
  }

  give(intent: Intent, outcome: Outcome): void {
    this.changed.set(intent, { ...this.now(intent), outcome })
  }

  moves(intent: Intent): boolean {
    return this.now(intent).outcome._tag === "Move"
  }

  /** Whether the slot would move by this intent, and who wants the very same of it. */
  standing(intent: Intent): { readonly wins: boolean; readonly equals: ReadonlyArray<Intent> } {
    this.slots ??= Groups.by(this.intents, ({ slot }) => slot)
    const rivals = this.slots.get(intent.slot) ?? []
    if (!this.moves(intent) || rivals.length < 2) return { wins: this.moves(intent), equals: [] }
    const own = this.now(intent)
    const sorted = rivals.map((one) => this.now(one)).sort(TextOrder.by(({ ground }) => ground.policy.id))
    const moving = Gate.slot(sorted).find(({ outcome }) => outcome._tag === "Move")
    const wishes: ReadonlyArray<Intent> =
      moving === undefined ? [] : [moving.intent, ...(moving.equals ?? [])]
    return { wins: wishes.includes(own), equals: wishes.filter((wish) => wish !== own) }
  }
}
