/** Prints the labels of a supply into files, and says of each order that has none why. */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Progress from "../../domain/Progress.js"
import * as LabelSheets from "../../printing/LabelSheets.js"
import type * as Line from "../../printing/Line.js"
import { cleanLine } from "../../reporting/Clean.js"
import { OrderEvents } from "../../services/ports/OrderEvents.js"
import * as Account from "../account/Account.js"
import * as SupplyLines from "../supplies/SupplyLines.js"
import * as Duration from "../terminal/Duration.js"
import type * as Flags from "../terminal/Flags.js"
import * as OutFile from "../terminal/OutFile.js"
import * as Output from "../terminal/Output.js"
import * as PackageFiles from "../terminal/PackageFiles.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { limited, stop } from "../terminal/Stop.js"
import * as Stickers from "./Stickers.js"

interface Asked extends Flags.Session {
  readonly supply: string
  /** None: as the policy of the supply says. */
  readonly size: Option.Option<LabelSheets.Size>
  readonly format: Stickers.Format
  readonly missing: boolean
  readonly order: ReadonlyArray<string>
  /** These too go before what the policy says. */
  readonly ownPage: boolean
  readonly noOwnPage: boolean
  readonly separators: boolean
  readonly wait: Option.Option<string>
  readonly out: Option.Option<string>
}

/** A file that cannot be written is found out before anything is asked. Ends with 4 when an order has no label, with 5 when a call limit is why. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const waitMs = yield* waitOf(asked.wait)
    yield* objection(asked)
    yield* Account.run(asked, (chosen) =>
      Effect.gen(function* () {
        const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
        const out = Option.getOrElse(asked.out, () => `${supplyId}-labels${endings[asked.format]}`)
        yield* place(out, asked.format)
        const printed = yield* ProgressBar.shown(print(chosen, supplyId, asked, out, waitMs))
        yield* asked.json
          ? Output.json("labels", plain(chosen, supplyId, asked, printed))
          : Output.text(text(supplyId, printed))
        if (printed.lacking.length === 0) return
        const left = `What is not printed yet: ${Account.told(chosen, `bidhelm labels print ${supplyId} --missing`)}`
        return yield* printed.isLimited ? limited(left) : stop(4, asked.json ? "" : left)
      })
    )
  })

const usualWaitMs = 120_000

const waitOf = (text: Option.Option<string>) =>
  Option.match(text, {
    onNone: () => Effect.succeed(usualWaitMs),
    onSome: (typed) => {
      const ms = Duration.parse(typed)
      return ms === undefined
        ? Effect.fail(stop(1, `--wait ${typed}: write a duration such as 90s, 10m or 2h`))
        : Effect.succeed(ms)
    }
  })

const objection = ({ format, noOwnPage, ownPage, separators }: Asked) =>
  format !== "pdf" && (separators || noOwnPage || ownPage)
    ? stop(
        1,
        "--separators, --own-page and --no-own-page are for --format pdf: other files go on as they come"
      )
    : ownPage && noOwnPage
      ? stop(1, "--own-page and --no-own-page say the opposite: leave one out")
      : Effect.void

/** How the labels look: by flags, else by the policy that the supply was made by, else as usual. */
export type Look = Pick<LabelSheets.Wanted, "ownPage" | "separators" | "size">

/** See `Look`. */
export const lookOf = (
  { noOwnPage, ownPage, separators, size }: Pick<Asked, "noOwnPage" | "ownPage" | "separators" | "size">,
  labels: SupplyLines.Told["labels"]
): Look => {
  const asked = labels?.ownPage ?? []
  const isWanted = ownPage || labels === undefined || asked.length > 0
  return {
    size: Option.getOrElse(size, () => labels?.size ?? "58x40"),
    separators: separators || labels?.separators === true,
    ownPage: noOwnPage || !isWanted ? undefined : asked.length > 0 ? asked : LabelSheets.pageFields
  }
}

/** Why stickers of a supply come in no other format. */
export const pdfAlone = (supplyId: SupplyId): string =>
  `supply ${supplyId} goes abroad, and its stickers are PDF alone: leave --format out`

const endings = { pdf: ".pdf", zpl: ".zpl", zplh: ".zpl", svg: "", png: "" } as const

const isFolder = (format: Stickers.Format): boolean => endings[format] === ""

const place = (out: string, format: Stickers.Format) =>
  !isFolder(format)
    ? OutFile.ready(out, "--out")
    : existsSync(out) && !statSync(out).isDirectory()
      ? stop(1, `--out ${out} is a file; --format ${format} needs a folder`)
      : OutFile.reachable(out, "--out")

interface File {
  readonly path: string
  readonly orders: ReadonlyArray<OrderId>
}

interface Printed {
  readonly size: LabelSheets.Size
  readonly files: ReadonlyArray<File>
  readonly lines: ReadonlyArray<Line.Line>
  readonly total: number
  readonly lacking: ReadonlyArray<{
    readonly orderId: OrderId
    readonly position: number | undefined
    readonly code: Stickers.Code
    readonly why: string
  }>
  /** A call limit left some of them without. */
  readonly isLimited: boolean
  /** Orders that were left alone because a label of theirs was printed before. */
  readonly before: number
  readonly notes: ReadonlyArray<string>
}

const print = (chosen: Account.Chosen, supplyId: SupplyId, asked: Asked, out: string, waitMs: number) =>
  Effect.gen(function* () {
    const told = yield* SupplyLines.read(chosen, supplyId)
    if (told.crossBorder && asked.format !== "pdf") return yield* stop(1, pdfAlone(supplyId))
    const look = lookOf(asked, told.labels)
    const events = yield* OrderEvents
    const ids = told.lines.map(({ orderId }) => orderId)
    const printedBefore = new Set(
      (asked.missing ? yield* events.of(chosen.name, ids) : [])
        .filter(({ kind }) => kind === "printed")
        .map(({ orderId }) => orderId)
    )
    const named = new Set(asked.order.map((id) => id.trim()))
    const lines = told.lines.filter(
      ({ orderId }) => !printedBefore.has(orderId) && (named.size === 0 || named.has(String(orderId)))
    )
    const strangers = [...named].filter((id) => !ids.some((orderId) => String(orderId) === id))
    if (strangers.length > 0)
      return yield* stop(
        1,
        `${Plural.choose(strangers.length, "order", "orders")} ${strangers.join(", ")} ${Plural.choose(strangers.length, "is", "are")} not in supply ${supplyId}. Nothing was printed`
      )
    const got = yield* Stickers.read({
      orders: lines.map(({ orderId }) => orderId),
      size: look.size,
      format: asked.format,
      crossBorder: told.crossBorder,
      waitMs
    })
    const ready = lines.filter(({ orderId }) => got.stickers.has(orderId))
    const files =
      asked.format === "pdf"
        ? yield* pdfs(supplyId, look, out, ready, told.total, got)
        : yield* asTheyCame(asked.format, out, ready, got)
    const at = yield* Clock.currentTimeMillis
    yield* events.record(
      chosen.name,
      // Of those whose marks were not read a page may be wanted yet.
      ready
        .filter(({ orderId }) => got.marks.has(orderId))
        .map(({ orderId, position }) => ({
          orderId,
          at,
          kind: "printed" as const,
          detail: {
            supplyId,
            position,
            format: asked.format,
            size: look.size,
            stickers: Stickers.kept(got.stickers.get(orderId)?.codes ?? [])
          }
        }))
    )
    const places = new Map(lines.map(({ orderId, position }) => [orderId, position]))
    return {
      size: look.size,
      files,
      lines: ready,
      total: told.total,
      lacking: got.lacking
        .map(({ lack, orderId }) => ({
          orderId,
          position: places.get(orderId),
          code: Stickers.codeOf(lack),
          why: cleanLine(sentence(lack))
        }))
        .sort((a, b) => (a.position ?? 0) - (b.position ?? 0)),
      isLimited: got.lacking.some(({ lack }) => Stickers.isLimited(lack)),
      before: printedBefore.size,
      notes: [...told.notes, ...got.notes].map(cleanLine)
    } satisfies Printed
  })

/** One PDF for every five hundred labels. */
const pdfs = (
  supplyId: SupplyId,
  look: Look,
  out: string,
  lines: ReadonlyArray<Line.Line>,
  total: number,
  got: Stickers.Answer
) => {
  const labels = lines.flatMap((line): ReadonlyArray<LabelSheets.Label> => {
    const { digits, printable } = got.stickers.get(line.orderId) ?? {}
    return printable === undefined
      ? []
      : [{ line, digits, sticker: printable, marks: got.marks.get(line.orderId) ?? [] }]
  })
  const parts = LabelSheets.parts(labels)
  const fonts = letters()
  return Effect.forEach(parts, (part, i) =>
    Effect.gen(function* () {
      const path = LabelSheets.fileOf(out, i + 1, parts.length)
      yield* Progress.report({ stage: "labels", done: i, total: parts.length })
      const bytes = yield* Effect.promise(() =>
        LabelSheets.make(
          part,
          { ...look, total, fonts },
          parts.length === 1 ? supplyId : `${supplyId} ${i + 1}/${parts.length}`
        )
      )
      yield* OutFile.write(path, bytes, "--out")
      return { path, orders: part.map(({ line }) => line.orderId) } satisfies File
    })
  )
}

/** The letters of printed pages. */
export const letters = () => ({
  regular: PackageFiles.font("PTSans_400Regular"),
  bold: PackageFiles.font("PTSans_700Bold")
})

/** Printer's code is one stream, pictures are a file each, numbered by their places. */
const asTheyCame = (
  format: Exclude<Stickers.Format, "pdf">,
  out: string,
  lines: ReadonlyArray<Line.Line>,
  got: Stickers.Answer
) =>
  Effect.gen(function* () {
    if (lines.length === 0) return []
    const fileOf = ({ orderId }: Line.Line) => got.stickers.get(orderId)?.file ?? new Uint8Array(0)
    if (!isFolder(format)) {
      const stream = Buffer.concat(lines.flatMap((line) => [fileOf(line), Buffer.from("\n")]))
      yield* OutFile.write(out, stream, "--out")
      return [{ path: out, orders: lines.map(({ orderId }) => orderId) }] satisfies ReadonlyArray<File>
    }
    yield* Effect.try({
      try: () => mkdirSync(out, { recursive: true }),
      catch: (error) => stop(1, `--out ${out} was not made: ${OutFile.why(out, error)}`)
    })
    return yield* Effect.forEach(lines, (line) => {
      const path = join(out, `${String(line.position).padStart(4, "0")}-${line.orderId}.${format}`)
      return Effect.as(OutFile.write(path, fileOf(line), "--out"), { path, orders: [line.orderId] })
    })
  })

/** Why an order has no label, and what helps. */
export const sentence = (lack: Stickers.Lack): string => {
  switch (lack._tag) {
    case "wrong_status":
      return `its status is ${lack.status ?? "unknown"}; stickers are for orders in confirm and complete that nobody cancelled. If it was cancelled, take the thing out of the parcel`
    case "no_status":
      return lack.error === undefined
        ? "the marketplace did not answer its status; try again in a minute"
        : `its status was not read: ${lack.error.message}`
    case "no_declaration":
      return "its customs declaration is missing, and one such order holds back the stickers of all: give the number first"
    case "awaiting_track":
      return "its track number is not there yet; wait longer with --wait 15m, or try again later"
    case "left_out":
      return "the marketplace left it out, or sent an empty file; try again in a minute"
    case "flawed":
      return flaws[lack.flaw]
    case "refused":
      return lack.error.message
  }
}

const flaws: Readonly<Record<LabelSheets.Flaw, string>> = {
  not_png: "its file is no picture; try again, or take --format zpl",
  torn: "its picture is not whole; try again",
  other_size: "its picture is of another size than was asked for; try again, or take another --size",
  not_pdf: "its file is no PDF with a page; try again"
}

const text = (supplyId: SupplyId, printed: Printed): string => {
  const { before, files, lacking, lines, notes, size, total } = printed
  const head =
    lines.length === 0
      ? `No label of ${supplyId} was printed.`
      : `Labels of ${Plural.of(lines.length, "order")} of ${supplyId}, ${size} mm, in the order of the pick list:`
  const shown = files.length > 3 ? files.slice(0, 1) : files
  return [
    head,
    ...shown.map(({ orders, path }) => `  ${path}  ${Plural.of(orders.length, "order")}`),
    ...(shown.length < files.length
      ? [`  and ${Plural.of(files.length - shown.length, "more file")} beside it`]
      : []),
    ...(before > 0 ? [`Printed before and left alone: ${Plural.of(before, "order")}.`] : []),
    ...(lacking.length > 0 ? [`Not printed: ${Plural.of(lacking.length, "order")} of ${total}`] : []),
    ...lacking.map(({ orderId, position, why }) => `  ${position ?? "-"}  ${orderId}: ${why}`),
    ...notes.map((note) => `Note: ${note}.`)
  ].join("\n")
}

const plain = (
  chosen: Account.Chosen,
  supplyId: SupplyId,
  { format }: Asked,
  { before, files, lacking, lines, notes, size, total }: Printed
) => ({
  account: chosen.name,
  supplyId,
  format,
  size,
  places: total,
  printed: lines.map(({ orderId, position }) => ({ orderId, position })),
  printedBefore: before,
  files,
  missing: lacking.map(({ code, orderId, position, why }) => ({
    orderId,
    position: position ?? null,
    reason: code,
    why
  })),
  notes
})
