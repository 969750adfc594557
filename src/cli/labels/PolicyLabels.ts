/** What the policy that a supply was made by says of its labels and lists; a supply of a person's own has none. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { FulfilmentPolicy } from "../../engine/language/Fulfilment.js"
import * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import type * as Account from "../account/Account.js"
import * as RuleFiles from "../rules/RuleFiles.js"

export interface Told {
  /** Undefined where no turn made the supply, or its policy is not there any more. */
  readonly labels: FulfilmentPolicy["labels"] | undefined
  /** What a person should know. */
  readonly notes: ReadonlyArray<string>
}

/** By the supply's name. Rules that cannot be read stop no printing: it goes on as without a policy, with a note. */
export const of = ({ config, name, rulesOfRun }: Account.Chosen, supplyName: string) =>
  Effect.gen(function* () {
    const made = (yield* SupplyWaves.of(name))(supplyName)
    if (made === undefined) return { labels: undefined, notes: [] } satisfies Told
    const loaded = yield* Effect.either(RuleFiles.load(rulesOfRun ?? config.rulesFolder))
    if (Either.isLeft(loaded))
      return {
        labels: undefined,
        notes: [`the rules could not be read, so nothing is as policy ${made.policy} says of labels`]
      } satisfies Told
    const policy = loaded.right.fulfilment.find(({ id }) => id === made.policy)
    return { labels: policy?.labels, notes: [] } satisfies Told
  })
