/** Which wave supplies were made for, as lists and labels tell it: the rules are read only where the journal does not know one. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import type * as Account from "../account/Account.js"
import * as RuleFiles from "../rules/RuleFiles.js"

export const read = (chosen: Account.Chosen, supplies: ReadonlyArray<Supply>) =>
  Effect.gen(function* () {
    const { config, name, rulesOfRun } = chosen
    const waves = yield* SupplyWaves.read(name, [])
    if (!supplies.map(HandOverParts.named).some(waves.isUnknown)) return waves
    const loaded = yield* Effect.either(RuleFiles.loadToAssemble()(rulesOfRun ?? config.rulesFolder))
    return Either.isRight(loaded) ? yield* SupplyWaves.read(name, loaded.right.fulfilment) : waves
  })
