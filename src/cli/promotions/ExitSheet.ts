/** The prices of a promotion's items before they joined it: what a person sets again when it is over. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import { clean } from "../../reporting/Clean.js"
import * as Wording from "../../reporting/Wording.js"
import type * as Promo from "../../services/areas/promotions/Promo.js"
import * as Account from "../account/Account.js"
import * as Delimited from "../tables/Delimited.js"
import type { Sheet } from "../tables/Sheet.js"
import * as Workbook from "../tables/Workbook.js"
import type * as Flags from "../terminal/Flags.js"
import * as OutFile from "../terminal/OutFile.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as Calendar from "./Calendar.js"
import * as CalendarRead from "./CalendarRead.js"
import * as Filed from "./Filed.js"
import * as PriceBefore from "./PriceBefore.js"

/** With a file that cannot be written nothing is asked. */
export const show = (flags: Flags.Session & { readonly id: string; readonly out: Option.Option<string> }) =>
  Effect.gen(function* () {
    const out = Option.getOrUndefined(flags.out)
    if (out !== undefined && formatOf(out) === undefined)
      return yield* stop(1, `--out ${out}: name a file that ends in .xlsx or .csv`)
    if (out !== undefined) yield* OutFile.ready(out, "--out")
    yield* Account.run(flags, (chosen) =>
      Effect.gen(function* () {
        const zone = chosen.config.timeZone
        const { name, promotionId, rows, unread } = yield* read(chosen.name, flags.id)
        if (unread !== undefined)
          yield* Output.note(
            clean(`Who is in the promotion could not be read (${unread}): the sheet has what bidhelm filed.`)
          )
        if (out !== undefined) {
          const sheet = sheetOf(`${promotionId} ${name}`, rows, zone)
          const content = formatOf(out) === "xlsx" ? Workbook.write([sheet]) : Delimited.write(sheet)
          yield* OutFile.write(out, content, "--out")
        }
        if (flags.json)
          return yield* Output.json("promos-exit-sheet", {
            account: chosen.name,
            promotionId,
            name,
            items: rows.map(plain),
            unread: unread ?? null,
            out: out ?? null
          })
        if (out !== undefined)
          return yield* Output.text(
            `${Plural.of(rows.length, "item")} of promotion ${promotionId} written to ${out}.`
          )
        yield* Output.text(
          rows.length === 0
            ? `${unread === undefined ? `No item is in promotion ${promotionId}, and` : `Nobody can tell which items are in promotion ${promotionId};`} bidhelm filed none for it.`
            : rows.map((row) => line(row, Wording.sign(chosen.config.currency), zone)).join("\n")
        )
      })
    )
  })

const formatOf = (path: string): "xlsx" | "csv" | undefined =>
  Workbook.isNamed(path) ? "xlsx" : /\.csv$/i.test(path) ? "csv" : undefined

/**
 * `before`: as the journal keeps it from when we filed it; `earlier`: from before another promotion, that ran then; `unknown`: the
 * journal cannot tell it from the price of a promotion; `now`: as the promotion's list has it today.
 */
interface Row {
  readonly itemId: ItemId
  readonly priceKopecks: number | undefined
  readonly discountPercent: number | undefined
  readonly planPriceKopecks: number | undefined
  readonly isIn: boolean | undefined
  readonly from: "before" | "earlier" | "unknown" | "now"
  /** Of `earlier` and `unknown` the other promotion. */
  readonly otherId: PromotionId | undefined
  /** Epoch milliseconds. */
  readonly filedAt: number | undefined
}

const read = (account: string, text: string) =>
  Effect.gen(function* () {
    const journal = yield* (yield* ChangeLog).ofSlotsNamed(account, `${Enrolment.prefix}:`)
    const own = Filed.filings(journal).filter(({ promotionId }) => String(promotionId) === text.trim())
    const { promotions } = yield* CalendarRead.ahead
    const known = [
      ...promotions.map(({ id, name }) => ({ id, name: name ?? "" })),
      ...own.slice(0, 1).map(({ details, promotionId }) => ({ id: promotionId, name: details.promotionName }))
    ]
    const promotionId = yield* CalendarRead.named(text, known)
    const name = known.find(({ id }) => id === promotionId)?.name ?? ""
    const list = yield* members(promotionId, promotions)
    const unread = Either.isLeft(list) ? list.left : undefined
    const listed = Either.isRight(list) ? list.right : undefined
    const today = CalendarRead.dates(promotions)
    return { promotionId, name, unread, rows: rowsOf(own, Filed.all(journal), today, listed) }
  })

const members = (promotionId: PromotionId, promotions: ReadonlyArray<CalendarRead.Details>) => {
  const details = promotions.find(({ id }) => id === promotionId)
  if (details === undefined)
    return Effect.succeed(Either.left("it is over, or was taken out of the calendar"))
  return Calendar.isAutomatic(details)
    ? Effect.succeed(Either.left("the marketplace shows no items of automatic promotions"))
    : CalendarRead.items(promotionId, true)
}

/** `filings`: all that were ever made, of all promotions. */
const rowsOf = (
  own: ReadonlyArray<Filed.Filing>,
  filings: ReadonlyArray<Filed.Filing>,
  today: PriceBefore.Today,
  listed: ReadonlyArray<Promo.Item> | undefined
): ReadonlyArray<Row> => {
  const filed = new Map(own.map((one) => [one.itemId, one]))
  const inIt = new Map(
    (listed ?? []).flatMap((one) => (one.itemId === undefined ? [] : [[one.itemId, one] as const]))
  )
  return [...new Set([...filed.keys(), ...inIt.keys()])]
    .sort((a, b) => a - b)
    .map((itemId): Row => {
      const [ours, theirs] = [filed.get(itemId), inIt.get(itemId)]
      return {
        itemId,
        // The marketplace may have changed it since it was filed.
        planPriceKopecks: theirs?.planPriceKopecks ?? ours?.details.planPriceKopecks,
        isIn: listed === undefined ? undefined : theirs !== undefined,
        filedAt: ours?.sentAt,
        ...(ours === undefined ? asListed(theirs) : toRestore(PriceBefore.of(ours, filings, today)))
      }
    })
}

type Before = Pick<Row, "discountPercent" | "from" | "otherId" | "priceKopecks">

const asListed = (listed: Promo.Item | undefined): Before => ({
  priceKopecks: listed?.priceKopecks,
  discountPercent: listed?.discountPercent,
  from: "now",
  otherId: undefined
})

const toRestore = (found: PriceBefore.PriceBefore): Before => {
  if (found._tag === "Unknown")
    return {
      priceKopecks: undefined,
      discountPercent: undefined,
      from: "unknown",
      otherId: found.promotionId
    }
  const { discountPercent, priceKopecks } = found.filing.details
  return found._tag === "AsFiled"
    ? { priceKopecks, discountPercent, from: "before", otherId: undefined }
    : { priceKopecks, discountPercent, from: "earlier", otherId: found.promotionId }
}

const sourceOf = ({ from, otherId }: Row): string => {
  switch (from) {
    case "before":
      return "as filed: if others had it in a promotion then, that promotion's price"
    case "earlier":
      return `as before promotion ${otherId}, which ran when it was filed`
    case "unknown":
      return `not known: promotion ${otherId} may have made the price when it was filed`
    case "now":
      return "as listed today: bidhelm did not file it, and knows no price from before"
  }
}

const inWords = (isIn: boolean | undefined): string => (isIn === undefined ? "unknown" : isIn ? "yes" : "no")

const dayOf = (atMs: number | undefined, zone: string): string | undefined =>
  atMs === undefined ? undefined : Days.at(atMs, zone)

const sheetOf = (name: string, rows: ReadonlyArray<Row>, zone: string): Sheet => ({
  name,
  columns: [
    { title: "nm", holds: "number", width: 14 },
    { title: "price_before", holds: "money", width: 14 },
    { title: "discount_before", holds: "percent", width: 16 },
    { title: "plan_price", holds: "money", width: 14 },
    { title: "in_promotion", holds: "text", width: 14 },
    { title: "filed_on", holds: "text", width: 12 },
    { title: "source", holds: "text", width: 40 }
  ],
  rows: rows.map((row) => [
    row.itemId,
    row.priceKopecks,
    row.discountPercent,
    row.planPriceKopecks,
    inWords(row.isIn),
    dayOf(row.filedAt, zone),
    sourceOf(row)
  ])
})

const line = (row: Row, sign: string, zone: string) => {
  const { discountPercent, filedAt, isIn, itemId, planPriceKopecks, priceKopecks } = row
  const money = (kopecks: number | undefined) =>
    kopecks === undefined ? "unknown" : Money.format(Money.Kopecks(kopecks), sign)
  const off = discountPercent === undefined ? "discount unknown" : `discount ${discountPercent}%`
  const day = filedAt === undefined ? [] : [`filed ${dayOf(filedAt, zone)}`]
  return `${itemId}  before ${money(priceKopecks)}, ${off}  in the promotion ${money(planPriceKopecks)}  in it: ${inWords(isIn)}  ${[...day, sourceOf(row)].join("; ")}`
}

const plain = (row: Row) => ({
  itemId: row.itemId,
  priceKopecks: row.priceKopecks ?? null,
  discountPercent: row.discountPercent ?? null,
  planPriceKopecks: row.planPriceKopecks ?? null,
  isIn: row.isIn ?? null,
  from: row.from,
  otherPromotionId: row.otherId ?? null,
  filedAt: When.iso(row.filedAt)
})
