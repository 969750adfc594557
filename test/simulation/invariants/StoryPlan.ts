/** The plan of a story's turn: its changes, and nothing beside them. */
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as Summary from "../../../src/engine/decide/Summary.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import { rules } from "./StoryWorld.js"

/** Of all policies that steer, unless it is said of which. */
export const planOf = (
  changes: ReadonlyArray<Change>,
  observeOnly: string | undefined,
  policies: ReadonlyArray<string> = rules.policies.map(({ id }) => id)
): Plan =>
  Summary.seal({
    version: 2,
    account: "shop",
    currency: "RUB",
    createdAt: "2026-09-01T06:00:00.000Z",
    rulesHash: rules.hashes.others,
    policies: [...rules.policies, ...rules.fulfilment]
      .filter(({ id }) => policies.includes(id))
      .map(({ id, name }) => ({
        id,
        name,
        mode: "apply",
        hash: "",
        rowsInScope: 3,
        rowsMatched: changes.length,
        rowsUnknown: 0,
        changes: 0
      })),
    changes,
    held: [],
    unknown: [],
    unchanged: [],
    calls: { perOperation: {} },
    ...(observeOnly === undefined ? {} : { observeOnly })
  })
