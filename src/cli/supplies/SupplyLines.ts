/**
 * The orders of a supply as pick list, labels and packing tell them: in the stored order, which the first of them makes,
 * each with what is known of its goods. Reads the marketplace; writes the stored order only.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Days from "../../domain/Days.js"
import { type ItemId, type OrderId, SupplyId } from "../../domain/Ids.js"
import * as Sources from "../../engine/facts/Sources.js"
import type { FulfilmentPolicy } from "../../engine/language/Fulfilment.js"
import * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import * as OrderLook from "../../marketplace/fulfilment/OrderLook.js"
import * as Line from "../../printing/Line.js"
import * as Inventory from "../../services/areas/analytics/Inventory.js"
import type { Order } from "../../services/areas/orders/OrderRecords.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import { type Client, MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, isMissing } from "../../services/MarketplaceError.js"
import { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import type * as Account from "../account/Account.js"
import * as MadeFor from "../fulfilment/MadeFor.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import { ofCall, type Stop, stop } from "../terminal/Stop.js"
import * as GoodsTable from "./GoodsTable.js"

export interface Told {
  readonly supply: Supply
  /** Orders that are in the supply now, by their place. */
  readonly lines: ReadonlyArray<Line.Line>
  /** All barcodes of the goods of an order, as far as its record says them. */
  readonly barcodes: ReadonlyMap<OrderId, ReadonlyArray<string>>
  /** Places given so far, also to orders that have left. */
  readonly total: number
  /** What the policy that answers for the supply says of its labels; undefined where none does. */
  readonly labels: FulfilmentPolicy["labels"] | undefined
  /** Whether orders of the supply go abroad, as the supply says. */
  readonly crossBorder: boolean
  /** What a person should know: what is absent, and why. */
  readonly notes: ReadonlyArray<string>
}

/** The supply that was typed: its whole id, in the operator's spelling too, or its digits alone. */
export const idOf = (typed: string, word: string): Effect.Effect<SupplyId, Stop> => {
  const digits = typed.trim().replace(new RegExp(`^((platform|${word})-)?gi-`, "i"), "")
  return Either.mapLeft(Schema.decodeEither(SupplyId)(`PLATFORM-GI-${digits.toUpperCase()}`), () =>
    stop(1, `"${typed}" is no supply: write its id such as PLATFORM-GI-1234567, or its digits alone`)
  )
}

/** Fails when the supply or its orders cannot be read; what only their goods lack is a note. */
export const read = (chosen: Account.Chosen, supplyId: SupplyId) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const goods = yield* GoodsTable.read(chosen.config.rulesFolder)
    const supplies = Supplies.make(client)
    const supply = yield* Effect.mapError(supplies.details(supplyId), (error) => unread(supplyId, error))
    const orderIds = yield* Effect.mapError(supplies.orderIds(supplyId), (error) => unread(supplyId, error))
    const records = yield* OrderLook.find(client, orderIds, supply.createdAtMs)
    const asked = orderIds.map((orderId) => described(orderId, records.found.get(orderId), goods))
    const names = yield* namesOf(
      client,
      asked.flatMap(({ itemId, name }) => (name === undefined && itemId !== undefined ? [itemId] : []))
    )
    const goodsOf = asked.map((one) => ({
      ...one,
      name: one.name ?? (one.itemId === undefined ? undefined : names.found.get(one.itemId))
    }))
    const policy = yield* policyOf(chosen, supply)
    const stored = yield* (yield* SupplyOrders).append(
      chosen.name,
      supplyId,
      Line.sorted(goodsOf, policy.labels?.sort ?? Line.usualKeys).map(({ orderId }) => orderId),
      yield* Clock.currentTimeMillis
    )
    const known = new Map(goodsOf.map((one) => [one.orderId, one]))
    const told: Told = {
      supply,
      lines: stored.flatMap((orderId, i) => {
        const one = known.get(orderId)
        return one === undefined ? [] : [{ ...one, position: i + 1 }]
      }),
      barcodes: new Map([...records.found].map(([orderId, { barcodes }]) => [orderId, barcodes])),
      total: stored.length,
      labels: policy.labels,
      crossBorder: supply.crossBorder ?? [...records.found.values()].some((one) => one.crossBorder === true),
      notes: [...policy.notes, ...notesOf(goods, goodsOf, [...records.notes, ...names.notes])]
    }
    return told
  })

/** What the policy that answers for a supply says of its labels and lists; a supply of a person's own has none. */
type OfPolicy = Pick<Told, "labels" | "notes">

/** Rules that cannot be read stop no printing: it goes on as without a policy, with a note. */
const policyOf = (chosen: Account.Chosen, supply: Supply) =>
  Effect.gen(function* () {
    const { config, rulesOfRun } = chosen
    const made = (yield* MadeFor.read(chosen, [supply])).of(HandOverParts.named(supply))
    if (made === undefined) return { labels: undefined, notes: [] } satisfies OfPolicy
    const loaded = yield* Effect.either(RuleFiles.loadToAssemble()(rulesOfRun ?? config.rulesFolder))
    if (Either.isLeft(loaded))
      return {
        labels: undefined,
        notes: [`the rules could not be read, so nothing is as policy ${made.policy} says of labels`]
      } satisfies OfPolicy
    const { labels } = SupplyWaves.policyOf(loaded.right.fulfilment, made) ?? {}
    return { labels, notes: [] } satisfies OfPolicy
  })

const unread = (supplyId: SupplyId, error: CallError): Stop =>
  isMissing(error) ? stop(1, `there is no supply ${supplyId} on this account`) : ofCall(error)

type Described = Omit<Line.Line, "position"> & { readonly itemId: ItemId | undefined }

const described = (orderId: OrderId, record: Order | undefined, goods: GoodsTable.Table): Described => {
  const { article, barcodes = [], basketId, colorCode, itemId } = record ?? {}
  const told = record === undefined ? {} : goods.of({ barcodes, article, itemId })
  return {
    orderId,
    basketId,
    article: textOf(article),
    itemId,
    barcode: barcodes[0],
    name: told.name,
    size: told.size,
    colour: told.colour ?? textOf(colorCode),
    cell: told.cell
  }
}

const textOf = (text: string | undefined): string | undefined =>
  text?.trim() === "" ? undefined : text?.trim()

/** Items in one question: no more than one page shows. */
const perCall = Sources.sources.itemStocks.batch

/** Names by the stock report, for items that the seller's table does not name. */
const namesOf = (client: Client, items: ReadonlyArray<ItemId>) =>
  Effect.gen(function* () {
    const found = new Map<ItemId, string>()
    const asked = [...new Set(items)].sort((a, b) => a - b)
    const inventory = Inventory.make(client)
    const day = Days.ofMarket(yield* Clock.currentTimeMillis)
    for (const some of Arr.chunksOf(asked, perCall)) {
      const listed = yield* Effect.either(
        Stream.runForEach(
          inventory.items(
            { days: { from: day, to: day }, owner: "all", withDeleted: true },
            { items: some },
            { availability: [], sort: { field: "stockSum", mode: "desc" } }
          ),
          ({ itemId, name }) =>
            Effect.sync(() => {
              const text = textOf(name)
              if (itemId !== undefined && text !== undefined) found.set(itemId, text)
            })
        )
      )
      if (Either.isLeft(listed))
        return { found, notes: [`names of goods were not read: ${listed.left.message}`] }
    }
    return { found, notes: [] }
  })

/** What no order has a word of, once. */
const notesOf = (
  goods: GoodsTable.Table,
  lines: ReadonlyArray<Described>,
  notes: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const absent = (["name", "size", "colour", "cell"] as const).flatMap((field) => {
    const count = lines.filter((line) => line[field] === undefined).length
    return count === 0
      ? []
      : [`${field} of ${count === lines.length ? "all" : `${count} of ${lines.length}`}`]
  })
  const articles = new Set(lines.flatMap(({ article }) => article ?? []))
  const alike = [...articles].flatMap((article) => {
    const written = goods.alike(article)
    return written === undefined
      ? []
      : [
          `"${written}" in ${goods.path} is not the orders' "${article}": one has letters of another alphabet that look alike; write it as the cabinet does`
        ]
  })
  if (absent.length === 0) return [...notes, ...alike]
  const where =
    goods.path === undefined
      ? "a table rules/_shared/goods.csv can tell them"
      : `${goods.path} does not tell them`
  return [...notes, ...alike, `not known: ${absent.join(", ")}; ${where}`]
}
