/** `bidhelm orders marks check FILE`: every problem of a sheet of marks, with row and column. Asks nobody, sends nothing. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import type * as MarkSheet from "../../engine/fulfilment/marks/MarkSheet.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as MarkWords from "../../reporting/fulfilment/MarkWords.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as MarkFile from "./MarkFile.js"

/** Ends with 3 when something is wrong, or the sheet has no mark. */
export const show = ({ file, json }: { readonly file: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const read = yield* MarkFile.read(
      file,
      json
        ? { answer: (problems) => Output.json("orders-marks-check", { ...asJson(file, nothing), problems }) }
        : {}
    )
    yield* json
      ? Output.json("orders-marks-check", asJson(file, read))
      : Output.text(asText(file, read).join("\n"))
    if (read.problems.length > 0 || read.claims.length === 0) return yield* stop(3)
  })

type Read = MarkSheet.ReadSheet

/** Of a sheet that is none. */
const nothing: Read = { claims: [], problems: [], mended: [], repeated: [], unknownColumns: [], rows: 0 }

type Problem = Read["problems"][number]

const asJson = (file: string, { claims, mended, problems, repeated, rows, unknownColumns }: Read) => ({
  file,
  rows,
  unknownColumns,
  marks: claims.map(({ at, mark, orderId }) => ({ orderId, kind: mark.kind, mark, ...placed(at) })),
  problems: problems.map(({ at, kind, orderId, problem }) => ({
    ...placed(at),
    orderId: orderId ?? null,
    kind: kind ?? null,
    ...problem,
    ...("first" in problem ? { first: placed(problem.first) } : {}),
    message: MarkWords.ofCell(problem, kind)
  })),
  mended: mended.map(({ at, mended }) => ({ ...placed(at), ...mended, message: MarkWords.ofMended(mended) })),
  repeated: repeated.map(placed)
})

/** Rows and columns as spreadsheets count them, from 1. */
const placed = ({ column, line, name }: MarkSheet.Place) => ({ row: line, column: column + 1, name })

const asText = (file: string, read: Read): ReadonlyArray<string> => {
  const { claims, problems, repeated, rows, unknownColumns } = read
  const orders = new Set(claims.map(({ orderId }) => orderId)).size
  const counted = Mark.kinds.flatMap((kind) => {
    const count = claims.filter(({ mark }) => mark.kind === kind).length
    return count === 0 ? [] : [Plural.of(count, OrderMark.called[kind])]
  })
  const notes = [
    ...mendedLines(read),
    ...(repeated.length === 0
      ? []
      : [`${Plural.of(repeated.length, "mark")} that the sheet says twice of the same order: counted once`]),
    ...(unknownColumns.length === 0
      ? []
      : [`columns that mean nothing here: ${unknownColumns.map(cleanLine).join(", ")}`])
  ]
  return [
    `${cleanLine(file)}: ${Plural.of(rows, "row")}, ${Plural.of(claims.length, "mark")} of ${Plural.of(orders, "order")} ${Plural.choose(claims.length, "is", "are")} right${counted.length === 0 ? "" : `: ${counted.join(", ")}`}.`,
    ...(notes.length === 0 ? [] : ["", "Taken as meant", ...notes.map((line) => `  ${line}`)]),
    ...(problems.length === 0
      ? []
      : ["", Plural.of(problems.length, "problem"), ...problems.map((one) => `  ${problemLine(one)}`)])
  ]
}

/** `row 5, C "sgtin", order 100: the code has no group separator …`. */
const problemLine = ({ at, kind, orderId, problem }: Problem): string =>
  `${MarkWords.placeText(at)}${orderId === undefined ? "" : `, order ${orderId}`}: ${MarkWords.ofCell(problem, kind)}.`

/** What was mended alike, with the number of cells. */
const mendedLines = ({ mended }: Read): ReadonlyArray<string> =>
  Object.entries(Arr.groupBy(mended, (one) => MarkWords.ofMended(one.mended))).map(([text, cells]) => {
    const [first] = cells
    const where =
      cells.length === 1
        ? MarkWords.placeText(first.at)
        : `${cells.length} cells, the first ${MarkWords.placeText(first.at)}`
    return `${text}: ${where}`
  })
