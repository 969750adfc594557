/** Bid steps from the configuration instead of the marketplace's answer, for accounts whose answer is wrong. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Cell from "../../engine/facts/Cell.js"
import { type FactAnswer, FactSource } from "../../engine/run/Ports.js"
import type { Config } from "../config/Config.js"

/** The fact source with the configured steps in place of the reported ones. */
export const override = (steps: Config["bidStep"]) =>
  Layer.effect(
    FactSource,
    Effect.map(FactSource, (source) => {
      const cells = new Map<string, Cell.Cell>()
      if (steps.cpm !== undefined) cells.set("account.bid_step.cpm", Cell.known(steps.cpm))
      if (steps.cpc !== undefined) cells.set("account.bid_step.cpc", Cell.known(steps.cpc))
      const added = (answer: FactAnswer): FactAnswer => ({
        ...answer,
        rows: [...answer.rows, { target: "account", cells }]
      })
      return cells.size === 0
        ? source
        : {
            ...source,
            fetch: (request) =>
              request.source === "promotionConfig"
                ? Effect.map(source.fetch(request), added)
                : source.fetch(request)
          }
    })
  )
