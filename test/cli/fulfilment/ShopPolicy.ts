/** A shop whose only policy is one of `kind: fulfilment`, for the sandbox's two warehouses of the seller. */
import * as Shop from "../Shop.js"

export const text = (mode: string, more = "") => `version: 1
kind: fulfilment
name: Waves
mode: ${mode}
warehouses: [71001, 71002]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
  - {name: evening, collect_until: "19:00", hand_over_by: "21:00", tz: Europe/Moscow}
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: 300}
${more}`

export const open = async (mode = "approve", more = "", speed?: number): Promise<Shop.Shop> => {
  const shop = await Shop.Shop.open(speed === undefined ? {} : { speed })
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  shop.write("rules/13-fulfilment.yaml", text(mode, more))
  return shop
}

/** Runs a command that must end well, and reads its JSON. */
export const json = async <A>(shop: Shop.Shop, ...words: ReadonlyArray<string>): Promise<A> => {
  return JSON.parse((await shop.well(...words, "--json")).stdout) as A
}

/** How often the marketplace accepted a write. */
export const accepted = async (shop: Shop.Shop, operation: string): Promise<number> =>
  ((await shop.ledger()).entries as ReadonlyArray<{ readonly operation: string }>).filter(
    (entry) => entry.operation === operation
  ).length
