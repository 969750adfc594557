/**
 * Pick list and packing list of a supply: shown, as JSON, or as a PDF on A4; all from the same stored order, without the orders that
 * were cancelled in it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Line from "../../printing/Line.js"
import * as PrintedLists from "../../printing/Lists.js"
import * as Table from "../../printing/Table.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Print from "../labels/Print.js"
import * as Stickers from "../labels/Stickers.js"
import type * as Flags from "../terminal/Flags.js"
import * as OutFile from "../terminal/OutFile.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as SupplyLines from "./SupplyLines.js"

interface Asked extends Flags.Session {
  readonly supply: string
  readonly out: Option.Option<string>
}

/** What is to be fetched from where, and the totals by article. */
export const pick = (asked: Asked & { readonly by: Line.Key }) =>
  listed(asked, "pick-list", (supplyId, { leftOut, lines }) => {
    const { picks, totals } = PrintedLists.picks(lines, asked.by)
    return {
      table: PrintedLists.pickTable(supplyId, lines, asked.by, leftOut),
      json: {
        by: asked.by,
        rows: picks.map(({ positions, ...goods }) => ({ ...plain(goods), positions })),
        totals
      },
      text: [
        ...picks.map(
          (one) =>
            `${goodsText(one)}  ${one.count} × ${Line.articleOf(one)}  labels ${Line.places(one.positions)}`
        ),
        "Totals",
        ...totals.map(({ article, count }) => `  ${article}: ${count}`)
      ]
    }
  })

/** Which orders belong into which parcel, by article or by the buyer's basket. */
export const pack = (asked: Asked & { readonly by: PrintedLists.PackBy }) =>
  listed(asked, "packing-list", (supplyId, { leftOut, lines }) => {
    const packs = PrintedLists.packs(lines, asked.by)
    return {
      table: PrintedLists.packTable(supplyId, lines, asked.by, leftOut),
      json: {
        by: asked.by,
        groups: packs.map(({ key, lines }) => ({
          key: key ?? null,
          orders: lines.map(({ orderId, position, ...goods }) => ({ orderId, position, ...plain(goods) }))
        }))
      },
      text: packs.flatMap(({ key, lines }) => [
        `${key ?? "alone in their baskets"}: ${lines.length}`,
        ...lines.map((one) => `  ${one.position}  ${one.orderId}  ${Line.articleOf(one)}  ${goodsText(one)}`)
      ])
    }
  })

interface List {
  readonly table: Table.Table
  readonly json: Readonly<Record<string, unknown>>
  readonly text: ReadonlyArray<string>
}

const listed = (
  asked: Asked,
  kind: "pick-list" | "packing-list",
  make: (supplyId: SupplyId, live: Live) => List
) =>
  Effect.gen(function* () {
    const out = Option.getOrUndefined(asked.out)
    if (out !== undefined && !/\.pdf$/i.test(out))
      return yield* stop(1, `--out ${out}: name a file that ends in .pdf`)
    if (out !== undefined) yield* OutFile.ready(out, "--out")
    yield* Account.run(asked, (chosen) =>
      Effect.gen(function* () {
        const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
        const told = yield* ProgressBar.shown(SupplyLines.read(chosen, supplyId))
        if (told.lines.length === 0) return yield* stop(1, `supply ${supplyId} holds no orders`)
        const live = yield* ProgressBar.shown(liveOf(told.lines))
        const { leftOut, lines } = live
        const list = make(supplyId, live)
        const notes = [...told.notes, ...live.notes].map(cleanLine)
        if (out !== undefined) {
          const bytes = yield* Effect.promise(() => Table.make(list.table, Print.letters()))
          yield* OutFile.write(out, bytes, "--out")
        }
        if (asked.json)
          return yield* Output.json(kind, {
            account: chosen.name,
            supplyId,
            orders: lines.length,
            ...list.json,
            leftOut,
            out: out ?? null,
            notes
          })
        yield* Output.text(
          [
            ...(out === undefined
              ? list.text
              : [
                  `The ${kind.replace("-", " ")} of ${supplyId}, ${Plural.of(lines.length, "order")}, is in ${out}.`
                ]),
            ...leftOutText(leftOut)
          ]
            .map(cleanLine)
            .join("\n")
        )
        for (const note of notes) yield* Output.note(`Note: ${note}.`)
      })
    )
  })

interface Live {
  readonly lines: ReadonlyArray<Line.Line>
  readonly leftOut: ReadonlyArray<PrintedLists.LeftOut>
  readonly notes: ReadonlyArray<string>
}

/** What is still to be picked and packed. An order whose status was not answered stays, with a note: a parcel that is forgotten costs more. */
const liveOf = (lines: ReadonlyArray<Line.Line>) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const { failures, missing, values } = yield* Orders.make(client).statuses(
      lines.map(({ orderId }) => orderId)
    )
    const cancelled = new Map<OrderId, string>(
      values
        .filter(OrderRecords.isCancelled)
        .map((state) => [state.orderId, Stickers.statusOf(state) ?? "cancelled"])
    )
    const unread = [...missing, ...failures.flatMap(({ keys }) => keys)]
    const because = failures.map(({ error }) => `: ${error.message}`)[0] ?? ""
    return {
      lines: lines.filter(({ orderId }) => !cancelled.has(orderId)),
      leftOut: lines.flatMap(({ orderId, position }) => {
        const status = cancelled.get(orderId)
        return status === undefined ? [] : [{ orderId, position, status }]
      }),
      notes:
        unread.length === 0
          ? []
          : [
              `whether ${Plural.of(unread.length, "order")} (${unread.join(", ")}) ${Plural.choose(unread.length, "is", "are")} cancelled was not answered${because}`
            ]
    } satisfies Live
  })

/** How many are not in the list, and why. */
const leftOutText = (leftOut: ReadonlyArray<PrintedLists.LeftOut>): ReadonlyArray<string> =>
  leftOut.length === 0
    ? []
    : [
        `Left out, cancelled: ${Plural.of(leftOut.length, "order")}`,
        ...leftOut.map(({ orderId, position, status }) => `  ${position}  ${orderId}: ${status}`)
      ]

const plain = (goods: Line.Goods) => ({
  article: goods.article ?? null,
  itemId: goods.itemId ?? null,
  barcode: goods.barcode ?? null,
  name: goods.name ?? null,
  size: goods.size ?? null,
  colour: goods.colour ?? null,
  cell: goods.cell ?? null
})

/** `А-7  Куртка, 42, синий`; what is not known is left out. */
const goodsText = (goods: Line.Goods): string => {
  const { cell, colour, name } = goods
  const words = [name, Line.sizeOf(goods), colour].filter((word) => word !== undefined).join(", ")
  return [cell, words].filter((word) => word !== undefined && word !== "").join("  ")
}
