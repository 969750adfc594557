/** `bidhelm supplies move`: puts orders into an open supply, from another one, from none, or again where a closed one left them. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrderId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Moving from "../fulfilment/Moving.js"
import * as Named from "../fulfilment/Named.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as Planning from "../plan/Planning.js"
import type * as Flags from "../terminal/Flags.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session, PersonPlan.Choices {
  readonly orders: ReadonlyArray<string>
  readonly to: string
  readonly rules: Option.Option<string>
}

export const run = (asked: Asked) =>
  Effect.gen(function* () {
    const orders = yield* Named.orders(asked.orders)
    yield* PersonPlan.answerable(asked)
    const { again, chosen, rules, within } = yield* Planning.reach(asked, "supplies-move")
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        const look = looked(asked, chosen, orders)
        const { placed, to, wanted } = yield* look
        yield* PersonPlan.run(
          "supplies-move",
          chosen,
          {
            operation: "addOrdersToSupply",
            wanted,
            question: `Move ${Plural.of(placed.length, "order")} to "${to.name}"?`,
            again: { rules: again, wanted: Effect.map(look, (now) => now.wanted) }
          },
          asked
        )
      })
    )
  })

/** Where which orders go; one that cannot go there ends the command. */
const looked = (asked: Asked, chosen: Account.Chosen, orders: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const open = yield* ProgressBar.shown(Moving.openSupplies)
    const to = yield* Moving.goal(
      chosen,
      asked.to,
      open,
      [...orders].sort((a, b) => a - b)
    )
    const { left, unfit } = yield* fitness(orders)
    if (unfit.length > 0)
      return yield* stop(
        1,
        `nothing was sent: ${unfit.join("; ")}. Leave ${Plural.choose(unfit.length, "it", "them")} out, or look: ${Account.told(chosen, "bidhelm orders history ID")}`
      )
    const placed = Moving.placed(orders, open, left).filter(({ from }) => from !== to.ref)
    const ids = placed.map(({ orderId }) => orderId)
    const misfits = ids.length === 0 ? [] : yield* Moving.misfits(to, ids, open)
    if (misfits.length > 0) return yield* stop(1, `nothing was sent: ${misfits.join("; ")}`)
    return { placed, to, wanted: placed.length === 0 ? [] : Moving.wanted(to, placed) }
  })

/**
 * Orders that go into no supply any more, with their reason, for a refusal costs ten requests; and of those that must be shipped
 * again (seed 000 "Supplies") the closed supply that left each.
 */
const fitness = (orders: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const service = Orders.make(yield* MarketplaceClient)
    const { values } = yield* service.statuses(orders)
    const statuses = new Map(values.map((one) => [one.orderId, one]))
    const waits = (orderId: OrderId) => /^(new|confirm)$/.test(supplierOf(statuses.get(orderId)))
    const mayBeLeft = orders.some((orderId) => statuses.has(orderId) && !waits(orderId))
    const listed = mayBeLeft ? yield* service.reshipment : []
    const left = new Map(
      listed.flatMap(({ orderId, supplyId }) => (waits(orderId) ? [] : [[orderId, supplyId] as const]))
    )
    const unfit = orders.flatMap((orderId) => {
      const status = statuses.get(orderId)
      if (status === undefined) return [`the status of order ${orderId} was not answered`]
      const isFit = (waits(orderId) || left.has(orderId)) && !OrderRecords.isFinal(status)
      const said = waits(orderId) ? (State.textOf(status.platform) ?? supplierOf(status)) : supplierOf(status)
      return isFit ? [] : [`order ${orderId} goes into no supply any more (${said})`]
    })
    return { left, unfit }
  })

const supplierOf = (status: OrderRecords.OrderState | undefined): string =>
  (status === undefined ? undefined : State.textOf(status.supplier)) ?? "unknown"
