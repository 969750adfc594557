/** What the person at the packing table sees and hears, or a program reads: one event, one line of JSON. */
import * as Effect from "effect/Effect"
import type { OrderId } from "../../domain/Ids.js"
import type * as Packing from "../../engine/fulfilment/packing/Packing.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import type * as Line from "../../printing/Line.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as PackingWords from "../../reporting/fulfilment/PackingWords.js"
import * as VerdictWords from "../../reporting/fulfilment/VerdictWords.js"
import * as Output from "../terminal/Output.js"
import type * as MarkSetter from "./MarkSetter.js"

export interface Screen {
  readonly told: (told: Packing.Told) => Effect.Effect<void>
  readonly mark: (news: MarkSetter.News) => Effect.Effect<void>
  /** A label that was printed, and where, or why it was not. */
  readonly label: (
    orderId: OrderId,
    came: { readonly at: string } | { readonly why: string }
  ) => Effect.Effect<void>
  /** Something to know beside the scans; `event` is its name for programs. */
  readonly note: (
    event: string,
    sentence: string,
    more?: Readonly<Record<string, unknown>>
  ) => Effect.Effect<void>
}

interface Places {
  readonly lines: ReadonlyArray<Line.Line>
  readonly total: number
}

export const make = (asJson: boolean, places: Places): Screen => {
  const lineOf = new Map(places.lines.map((line) => [line.orderId, line]))
  // What kind of answer a line is, is `kind` of every answer.
  const json = (event: string, says: string, { kind, ...more }: Readonly<Record<string, unknown>>) =>
    Output.jsonLine("pack", { event, ...more, ...(kind === undefined ? {} : { markKind: kind }), says })
  const shown = (head: Head, says: string) =>
    Effect.flatMap(Output.colouredThere, (coloured) => Output.text(block(head, says, coloured)))
  const tell = (head: Head, event: string, says: string, more: Readonly<Record<string, unknown>>) => {
    const clean = cleanLine(says)
    return asJson ? json(event, clean, more) : shown(head, clean)
  }
  return {
    told: (told) => {
      const { _tag, ...fields } = told
      const says =
        told._tag === "Show" ? orderText(told.orderId, lineOf, places.total) : PackingWords.of(told)
      const more =
        told._tag === "Alarm"
          ? told.alarm
          : told._tag === "Show"
            ? { ...fields, ...seen(lineOf.get(told.orderId)) }
            : fields
      return tell(headOf(told), _tag, says, more)
    },
    mark: (news) => {
      const { _tag, ...fields } = news
      return tell(markHeads[_tag], `Mark${_tag}`, markText(news), fields)
    },
    label: (orderId, came) =>
      "at" in came
        ? tell(heads.quiet, "LabelPrinted", `the label of order ${orderId} is in ${came.at}`, {
            orderId,
            ...came
          })
        : tell(heads.stop, "LabelMissing", `the label of order ${orderId} was not printed: ${came.why}`, {
            orderId,
            ...came
          }),
    note: (event, sentence, more = {}) => tell(heads.quiet, event, sentence, more)
  }
}

const seen = (line: Line.Line | undefined) => ({
  position: line?.position ?? null,
  article: line?.article ?? null,
  name: line?.name ?? null,
  size: line?.size ?? null,
  colour: line?.colour ?? null,
  cell: line?.cell ?? null
})

const orderText = (orderId: OrderId, lineOf: ReadonlyMap<OrderId, Line.Line>, total: number): string => {
  const line = lineOf.get(orderId)
  const { article, colour, name, position, size } = line ?? {}
  const goods = [name ?? article, size, colour].filter((word) => word !== undefined).join(", ")
  return [
    `order ${orderId}`,
    ...(position === undefined ? [] : [`label ${position} of ${total}`]),
    ...(goods === "" ? [] : [goods])
  ].join(" · ")
}

const markText = (news: MarkSetter.News): string => {
  const what = `${OrderMark.called[news.kind]} of order ${news.orderId}`
  switch (news._tag) {
    case "Set":
      return `the ${what} is set; its check begins`
    case "Passed":
      return `the ${what}: ${VerdictWords.allowed[news.code]}`
    case "Refused":
      return news.why === undefined
        ? `the ${what} did not pass its check`
        : `the ${what} was not taken: ${news.why}`
    case "Dropped":
      return `the ${what} is not set: the order is cancelled, or not in the seller's hands any more`
    case "Late":
      return `the ${what} is not set: the order was handed over without it, and takes no mark any more`
    case "Waits":
      return news.isOver
        ? `the ${what} is not set: ${news.why}. It is kept here; begin packing again to try once more`
        : `the ${what} is not set yet, and is tried again: ${news.why}`
  }
}

/** How a line begins, and how loud it is. */
interface Head {
  readonly word: string
  readonly colour: string
  readonly isLoud?: true
}

const heads = {
  order: { word: "ORDER", colour: "1;36" },
  next: { word: "NEXT", colour: "1;33" },
  packed: { word: "PACKED", colour: "1;32" },
  done: { word: "DONE", colour: "1;32" },
  stop: { word: "STOP", colour: "1;97;41", isLoud: true },
  quiet: { word: "·", colour: "2" }
} as const satisfies Record<string, Head>

const markHeads: Readonly<Record<MarkSetter.News["_tag"], Head>> = {
  Set: heads.quiet,
  Passed: heads.quiet,
  Refused: heads.stop,
  Dropped: heads.quiet,
  Late: heads.stop,
  Waits: heads.stop
}

const headOf = ({ _tag }: Packing.Told): Head => {
  switch (_tag) {
    case "Show":
      return heads.order
    case "Ask":
    case "PrintLabel":
      return heads.next
    case "Packed":
      return heads.packed
    case "Finished":
    case "TakenOut":
      return heads.done
    case "Alarm":
      return heads.stop
    case "Basket":
    case "PutBack":
      return heads.quiet
  }
}

const width = 8

/** What is loud stands alone between empty lines, and rings where a person sees colours. */
const block = ({ colour, isLoud, word }: Head, says: string, coloured: boolean): string => {
  const head = word.padEnd(width)
  const line = coloured
    ? `\u001b[${colour}m ${head}\u001b[0m ${isLoud ? `\u001b[1m${says}\u001b[0m\u0007` : says}`
    : `${head} ${says}`
  return isLoud ? `\n${line}\n` : line
}
