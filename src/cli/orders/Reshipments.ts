/** `bidhelm reshipments`: orders that a closed supply left unscanned; adding one to an open supply sends it again. */
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"

export const show = (asked: Flags.Session) =>
  Account.run(asked, (chosen) =>
    Effect.gen(function* () {
      const client = yield* MarketplaceClient
      const listed = (yield* ProgressBar.shown(Orders.make(client).reshipment)).toSorted(
        (a, b) => a.orderId - b.orderId
      )
      if (asked.json)
        return yield* Output.json("reshipments", {
          account: chosen.name,
          orders: listed.map(({ orderId, supplyId }) => ({ orderId, leftBy: supplyId ?? null }))
        })
      yield* Output.text(
        listed.length === 0
          ? "No order must be shipped again."
          : [
              `${Plural.of(listed.length, "order")} must be shipped again. A fulfilment policy that is switched on does it in its next turn; by hand: bidhelm supplies move ORDER --to SUPPLY`,
              ...listed.map(({ orderId, supplyId }) =>
                cleanLine(`  ${orderId}  left by ${supplyId ?? "a supply that is not named"}`)
              )
            ].join("\n")
      )
    })
  )
