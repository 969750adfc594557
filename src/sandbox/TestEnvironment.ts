/**
 * Operations that emulate users, known to the test environment only (not-shown §5): orders are made by hand, and buyer
 * and platform are played. Nothing happens there by itself. They pass the same gate as every other operation.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Operation from "../services/Operation.js"
import * as Answer from "./Answer.js"
import { type Refusal, refuseCode } from "./Answer.js"
import type * as Call from "./Call.js"
import * as Dice from "./Dice.js"
import * as Moscow from "./Moscow.js"
import * as World from "./market/World.js"
import type { Route } from "./Routes.js"
import * as Making from "./shop/Making.js"
import * as Orders from "./shop/Orders.js"
import * as Play from "./shop/Play.js"
import * as Sales from "./shop/Sales.js"
import * as Supplies from "./shop/Supplies.js"

/** The route that emulates a user, if the request names one. */
export const find = (method: string, path: string): Route | undefined =>
  routes.find((route) => route.method === method && valuesOf(route.path, path) !== undefined)

const prefix = "/api/v3/test/fbs/"

/** The segments of a path that stand where the template has a `:name`. */
const valuesOf = (template: string, path: string): ReadonlyArray<string> | undefined => {
  const wanted = template.split("/")
  const found = path.replace(/\/$/, "").split("/")
  const fits =
    wanted.length === found.length && wanted.every((part, i) => part.startsWith(":") || part === found[i])
  return fits ? found.filter((_, i) => wanted[i]?.startsWith(":")) : undefined
}

type Emulate = (
  context: Call.Context,
  values: ReadonlyArray<string>,
  body: string
) => Either.Either<void, Refusal>

const route = (id: string, method: "POST" | "PATCH", path: string, emulate: Emulate): Route => ({
  method,
  path: prefix + path,
  facts: {
    id,
    area: "orders",
    host: "marketplace",
    tokenCategory: "marketplace",
    access: "write",
    retry: "manual",
    sideEffectGet: false,
    limitGroup: "marketplace.general",
    limits: { personal: Operation.limit("1 min", 60, 1), base: "same" },
    cost4xx: 10,
    success: [204],
    errors: [400, 401, 403, 404, 409, 429],
    errorShape: "code",
    testHost: true,
    notes: []
  },
  answer: (context, asked, _query, body) =>
    Either.map(emulate(context, valuesOf(prefix + path, asked) ?? [], body), () => Answer.empty(204))
})

const Made = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({ sku: Schema.String, amount: Schema.Int.pipe(Schema.between(1, 100)) })
  ).pipe(Schema.minItems(1), Schema.maxItems(10))
})

const makeOrders: Emulate = (context, _values, body) =>
  Either.gen(function* () {
    const { orders } = yield* decoded(Made, body)
    const sizes = orders.map(({ sku }) => Sales.sizeOfSku(context.world, sku))
    const unknown = orders[sizes.indexOf(undefined)]
    if (unknown !== undefined)
      return yield* Either.left(refuseCode(400, "IncorrectParameter", `no goods have the sku ${unknown.sku}`))
    for (const [i, size] of sizes.entries())
      for (let n = 0; n < (orders[i]?.amount ?? 0); n++)
        if (size !== undefined) Making.file(context.world, saleOf(context, size))
  })

/** A sale that only a tester made. */
const saleOf = ({ nowMs, world }: Call.Context, size: Sales.Size): Sales.Sale => {
  const index = world.shop.orders.size
  const seed = Dice.roll(world.seed, 801, index)
  return {
    itemId: size.itemId,
    sizeId: size.id,
    day: Moscow.dayOf(nowMs),
    index,
    srid: `test${Dice.uint(seed).toString(16).padStart(8, "0")}.${index}.0`,
    orderedAt: nowMs,
    priceKopecks: World.item(world, size.itemId).priceKopecks,
    business: false,
    fulfilledBy: "seller",
    advertised: false,
    seed
  }
}

const Code = Schema.Struct({
  code: Schema.Union(Schema.NonEmptyString, Schema.Int)
})

const playOrder =
  (what: Play.What): Emulate =>
  (context, [id], body) =>
    Either.gen(function* () {
      if (what === "receive" || what === "reject") yield* decoded(Code, body)
      const order = Orders.find(context.world, Number(id), context.nowMs)
      if (order === undefined)
        return yield* Either.left(refuseCode(404, "NotFound", `order ${id} does not exist`))
      const problem = Play.order(context.world, order, what, context.nowMs)
      if (problem !== undefined) yield* Either.left(refuseCode(409, "StatusMismatch", problem))
    })

const Unscanned = Schema.Struct({
  orders: Schema.optionalWith(Schema.Array(Schema.Int), { nullable: true, default: () => [] })
})

const closeSupply: Emulate = (context, [id], body) =>
  Either.gen(function* () {
    const { orders } = yield* decoded(Unscanned, body === "" ? "{}" : body)
    const supply = Supplies.find(context.world, id ?? "", context.nowMs)
    if (supply === undefined)
      return yield* Either.left(refuseCode(404, "NotFound", `supply ${id} does not exist`))
    const problem = Play.scan(context.world, supply, orders, context.nowMs)
    if (problem !== undefined) yield* Either.left(refuseCode(409, "StatusMismatch", problem))
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, body: string): Either.Either<A, Refusal> =>
  Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(body), (error) =>
    refuseCode(400, "IncorrectRequestBody", ParseResult.TreeFormatter.formatErrorSync(error))
  )

const routes: ReadonlyArray<Route> = [
  route("test.makeOrders", "POST", "orders/make", makeOrders),
  ...Play.whats.map((what) =>
    route(`test.${what}Order`, "PATCH", `orders/:orderId/${what}`, playOrder(what))
  ),
  route("test.closeSupply", "PATCH", "supplies/:supplyId/close", closeSupply)
]
