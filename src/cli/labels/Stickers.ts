/**
 * Stickers of a supply's orders, each whole or with the reason why it is not there: what came is held against what was
 * asked, for the marketplace leaves orders out without a word (field note O12).
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrderId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Progress from "../../domain/Progress.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import * as LabelSheets from "../../printing/LabelSheets.js"
import type { OrderLabels } from "../../services/areas/labels/LabelRecords.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { type Client, MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, isLimit } from "../../services/MarketplaceError.js"

/** As the command names them: `zpl` is fed upright, `zplh` lies. */
export const formats = ["pdf", "zpl", "zplh", "svg", "png"] as const
export type Format = (typeof formats)[number]

export interface Sticker {
  readonly orderId: OrderId
  /** Second part of the readable id. */
  readonly digits: string | undefined
  /** What it says when it is scanned, and what people read on it. */
  readonly codes: ReadonlyArray<string>
  readonly file: Uint8Array
  /** What a PDF of ours sets; undefined for files that are handed on as they come. */
  readonly printable: LabelSheets.Sticker | undefined
}

/** Why an order has no sticker to print. */
export type Lack =
  /** Not in confirm or complete, or cancelled there; the status as the marketplace spells it. */
  | { readonly _tag: "wrong_status"; readonly status: string | undefined }
  | { readonly _tag: "no_status"; readonly error: CallError | undefined }
  | { readonly _tag: "no_declaration" }
  | { readonly _tag: "awaiting_track" }
  | { readonly _tag: "left_out" }
  | { readonly _tag: "flawed"; readonly flaw: LabelSheets.Flaw }
  | { readonly _tag: "refused"; readonly error: CallError }

/** A lack as machines are told of it. */
export type Code = Exclude<Lack["_tag"], "flawed"> | LabelSheets.Flaw

export const codeOf = (lack: Lack): Code => (lack._tag === "flawed" ? lack.flaw : lack._tag)

/** Whether a call limit is why. */
export const isLimited = (lack: Lack): boolean =>
  (lack._tag === "no_status" || lack._tag === "refused") && lack.error !== undefined && isLimit(lack.error)

export interface Lacking {
  readonly orderId: OrderId
  readonly lack: Lack
}

export interface Answer {
  readonly stickers: ReadonlyMap<OrderId, Sticker>
  /** Every asked order is here or has its sticker. */
  readonly lacking: ReadonlyArray<Lacking>
  /** Whole marking codes by order. */
  readonly marks: ReadonlyMap<OrderId, ReadonlyArray<string>>
  readonly notes: ReadonlyArray<string>
}

export interface Asked {
  readonly orders: ReadonlyArray<OrderId>
  readonly size: LabelSheets.Size
  readonly format: Format
  readonly crossBorder: boolean
  /** How long track numbers are waited for. */
  readonly waitMs: number
  /** Those of cancelled orders too: to know them when they are scanned, not to print them. */
  readonly evenCancelled?: true
}

/** What the marketplace says of a sticker in words and bars. */
interface Said {
  readonly barcode: string | undefined
  readonly partA: string | undefined
  readonly partB: string | undefined
  readonly parcelId?: string | undefined
}

/** Every form in which a sticker may be scanned or typed, the bars first; the last four digits alone may be another's too. */
const codesOf = ({ barcode, parcelId, partA, partB }: Said): ReadonlyArray<string> =>
  [
    barcode,
    barcode?.replace(/^\*/, ""),
    parcelId,
    ...(partA === undefined || partB === undefined ? [] : [`${partA}${partB}`, `${partA} ${partB}`]),
    partB
  ].flatMap((code) => (code === undefined || code.trim() === "" ? [] : [code.trim()]))

/** Codes as the event of a label that was printed, or packed, keeps them; and back. */
export const kept = (codes: ReadonlyArray<string>): string => codes.join("\n")
export const ofKept = (text: string): ReadonlyArray<string> => text.split("\n").filter((code) => code !== "")

/** Asks for statuses and label identifiers first: a refusal that can be foreseen costs ten requests. */
export const read = (asked: Asked) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const { lacking, orders: inAssembly } = yield* assembled(client, asked)
    const identified = yield* Labels.make(client).read(inAssembly)
    const undeclared = new Set(identified.values.filter(lacksDeclaration).map(({ orderId }) => orderId))
    const printable = inAssembly.filter((orderId) => !undeclared.has(orderId))
    const got = asked.crossBorder
      ? yield* crossBorder(client, printable, asked.waitMs)
      : yield* domestic(client, printable, asked)
    const marks = new Map(identified.values.map(({ labels, orderId }) => [orderId, marksOf(labels)]))
    const unread = inAssembly.filter((orderId) => !marks.has(orderId))
    return {
      stickers: got.stickers,
      lacking: [
        ...lacking,
        ...[...undeclared].map((orderId): Lacking => ({ orderId, lack: { _tag: "no_declaration" } })),
        ...got.lacking
      ],
      marks,
      notes:
        unread.length === 0
          ? []
          : [
              `marks of ${Plural.of(unread.length, "order")} were not read (${unread.join(", ")})${identified.failures.map(({ error }) => `: ${error.message}`)[0] ?? ""}; they count as not printed`
            ]
    } satisfies Answer
  })

/** Orders that can have a sticker, and why the others cannot. */
const assembled = (client: Client, { evenCancelled, orders }: Asked) =>
  Effect.map(Orders.make(client).statuses(orders), ({ failures, missing, values }) => {
    const lacking: ReadonlyArray<Lacking> = [
      ...values
        .filter(
          (state) =>
            !OrderRecords.hasSticker(state) || (evenCancelled !== true && OrderRecords.isCancelled(state))
        )
        .map(
          (state): Lacking => ({
            orderId: state.orderId,
            lack: { _tag: "wrong_status", status: statusOf(state) }
          })
        ),
      ...missing.map((orderId): Lacking => ({ orderId, lack: { _tag: "no_status", error: undefined } })),
      ...failures.flatMap(({ error, keys }) =>
        keys.map((orderId): Lacking => ({ orderId, lack: { _tag: "no_status", error } }))
      )
    ]
    const without = new Set(lacking.map(({ orderId }) => orderId))
    return { lacking, orders: orders.filter((orderId) => !without.has(orderId)) }
  })

/** The status for which an order gets no sticker, as the marketplace spells it: what a buyer cancelled stays in confirm for the seller. */
export const statusOf = (state: OrderRecords.OrderState): string | undefined =>
  State.textOf(OrderRecords.hasSticker(state) ? state.platform : state.supplier)

/** Whether an order has no sticker before its customs declaration: one such order sinks the whole batch. */
export const lacksDeclaration = ({ labels }: OrderLabels): boolean =>
  labels.some(
    ({ decision, key, value }) =>
      key === "customsDeclaration" && value === undefined && decision._tag === "required"
  )

const marksOf = (labels: OrderLabels["labels"]): ReadonlyArray<string> =>
  labels.flatMap(({ key, value }) => (key === "sgtin" ? Mark.ofLabel(key, value).map(Mark.Mark.whole) : []))

interface Got {
  readonly stickers: ReadonlyMap<OrderId, Sticker>
  readonly lacking: ReadonlyArray<Lacking>
}

const perCall = 100

/** One unfit order may sink its batch (O12): it is halved after a refusal, so many times at most. */
const mostRefusals = 8

/** Stickers of orders that lack no declaration, in as many calls as it takes to leave unfit ones out. */
export const domestic = (
  client: Client,
  orders: ReadonlyArray<OrderId>,
  { format, size }: Pick<Asked, "format" | "size">
) =>
  Effect.gen(function* () {
    const { stickers: ask } = Orders.makeStickers(client)
    const stickers = new Map<OrderId, Sticker>()
    const lacking: Array<Lacking> = []
    const lack = (some: ReadonlyArray<OrderId>, why: Lack) =>
      lacking.push(...some.map((orderId) => ({ orderId, lack: why })))
    const waiting: Array<ReadonlyArray<OrderId>> = Arr.chunksOf(orders, perCall)
    let [refusals, stopped] = [0, false]
    for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
      const { failures, missing, values } = yield* ask(some, wireOf[format], size)
      for (const value of values) {
        const { file, orderId, partB } = value
        const read = format === "pdf" ? LabelSheets.picture(file, size) : Either.right(undefined)
        if (Either.isLeft(read)) lack([orderId], { _tag: "flawed", flaw: read.left })
        else
          stickers.set(orderId, {
            orderId,
            digits: partB,
            codes: codesOf(value),
            file,
            printable: read.right
          })
      }
      lack(missing, { _tag: "left_out" })
      for (const { error, keys } of failures) {
        const isRefusal = error._tag === "Refused" && error.arrived === "yes"
        if (isRefusal && keys.length > 1 && ++refusals <= mostRefusals) {
          const half = Math.ceil(keys.length / 2)
          waiting.unshift(keys.slice(0, half), keys.slice(half))
        } else {
          lack(keys, { _tag: "refused", error })
          stopped ||= !isRefusal
        }
        // Where the token or the network is at fault, the next call is of no use either.
        if (stopped) lack(waiting.splice(0).flat(), { _tag: "refused", error })
      }
      yield* Progress.report({ stage: "getOrderStickers", done: stickers.size, total: orders.length })
    }
    return { stickers, lacking } satisfies Got
  })

const wireOf = { pdf: "png", png: "png", svg: "svg", zpl: "zplv", zplh: "zplh" } as const

/** Track numbers come late (O13): asked for with growing pauses, from five seconds to a minute. */
const crossBorder = (client: Client, orders: ReadonlyArray<OrderId>, waitMs: number) =>
  Effect.gen(function* () {
    const { failures, missing, values } = yield* Orders.makeStickers(client).crossBorderUntilReady(orders, {
      firstMs: 5000,
      longestMs: 60_000,
      patienceMs: waitMs
    })
    const stickers = new Map<OrderId, Sticker>()
    const lacking: Array<Lacking> = [
      ...missing.map((orderId): Lacking => ({ orderId, lack: { _tag: "left_out" } })),
      ...failures.flatMap(({ error, keys }) =>
        keys.map((orderId): Lacking => ({ orderId, lack: { _tag: "refused", error } }))
      )
    ]
    for (const value of values) {
      const { orderId } = value
      if (value._tag === "awaiting") {
        lacking.push({ orderId, lack: { _tag: "awaiting_track" } })
        continue
      }
      const read = yield* Effect.promise(() => LabelSheets.pages(value.file))
      if (Either.isLeft(read)) lacking.push({ orderId, lack: { _tag: "flawed", flaw: read.left } })
      else
        stickers.set(orderId, {
          orderId,
          digits: value.partB,
          codes: codesOf(value),
          file: value.file,
          printable: read.right
        })
    }
    return { stickers, lacking } satisfies Got
  })
