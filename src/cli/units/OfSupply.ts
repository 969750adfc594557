/** `bidhelm units`: shipping units of a supply to a pickup point, and how many it may have; and adding some. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as ShippingUnits from "../../engine/kinds/fulfilment/ShippingUnits.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import * as Units from "../../services/areas/supplies/Units.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as HandOverLook from "../fulfilment/HandOverLook.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as Planning from "../plan/Planning.js"
import * as SupplyLines from "../supplies/SupplyLines.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"

export const show = (asked: Flags.Session & { readonly supply: Option.Option<string> }) =>
  Effect.gen(function* () {
    const typed = Option.getOrUndefined(asked.supply)
    if (typed === undefined)
      return yield* stop(1, "name the supply: bidhelm units SUPPLY; bidhelm supplies lists them")
    yield* Account.run(asked, (chosen) =>
      Effect.gen(function* () {
        const supplyId = yield* SupplyLines.idOf(typed, chosen.config.word)
        const { most, takesNone, units } = yield* ProgressBar.shown(read(supplyId))
        if (asked.json)
          return yield* Output.json("units", { account: chosen.name, supplyId, units, most, takesNone })
        yield* Output.text(
          [
            `${supplyId} has ${Plural.of(units.length, "shipping unit")}; ${takesNone === undefined ? `its orders allow ${most}, half of their number` : takesNone}.`,
            ...units.map((id) => cleanLine(`  ${id}`))
          ].join("\n")
        )
      })
    )
  })

const read = (supplyId: SupplyId) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const supply = yield* HandOverLook.details(supplyId)
    const orders = yield* Supplies.make(client).orderIds(supplyId)
    const takesNone =
      supply.pickupPointAllowed === false
        ? "it goes to no pickup point, and only such supplies have units"
        : supply.closed === true
          ? "it is closed, and takes no more"
          : undefined
    const units = supply.pickupPointAllowed === false ? [] : yield* Units.make(client).list(supplyId)
    return { units, most: Units.mostUnits(orders.length), takesNone }
  })

/** Adds so many; what the marketplace would refuse is told before. */
export const add = (
  asked: Flags.Session &
    PersonPlan.Choices & {
      readonly supply: string
      readonly count: string
      readonly rules: Option.Option<string>
    }
) =>
  Effect.gen(function* () {
    const count = /^\d{1,4}$/.test(asked.count.trim()) ? Number(asked.count) : 0
    if (count < 1 || count > 1000)
      return yield* stop(1, `"${cleanLine(asked.count)}": write how many units to add, 1 to 1000`)
    yield* PersonPlan.answerable(asked)
    const { again, chosen, rules, within } = yield* Planning.reach(asked, "units-add")
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
        const look = wanted(supplyId, count)
        yield* PersonPlan.run(
          "units-add",
          chosen,
          {
            operation: "addShippingUnits",
            wanted: yield* look,
            question: `Add ${Plural.of(count, "shipping unit")} to ${supplyId}?`,
            again: { rules: again, wanted: look }
          },
          asked
        )
      })
    )
  })

/** So many units more; a supply that takes fewer ends the command. */
const wanted = (supplyId: SupplyId, count: number) =>
  Effect.gen(function* () {
    const { most, takesNone, units } = yield* ProgressBar.shown(read(supplyId))
    if (takesNone !== undefined) return yield* stop(1, `nothing was sent: ${supplyId}: ${takesNone}`)
    if (units.length + count > most)
      return yield* stop(
        1,
        `nothing was sent: ${supplyId} has ${Plural.of(units.length, "unit")} and its orders allow ${most}, half of their number; ${Units.roomFor(most - units.length)}`
      )
    return [
      {
        kind: ShippingUnits.name,
        action: "add_units",
        subject: { supply: supplyId },
        details: {},
        after: (before) => Number(before) + count
      }
    ] satisfies ReadonlyArray<Wanted>
  })
