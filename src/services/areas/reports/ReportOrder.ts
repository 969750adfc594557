/** What a caller wants reported, and how it becomes the body of a create call under an id of its own. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Days from "../../../domain/Days.js"
import { ReportId } from "../../../domain/Ids.js"
import { ReportRequest } from "../../endpoints/CsvReports.js"
import { ofRange } from "../../endpoints/Periods.js"
import * as Reach from "../analytics/Reach.js"
import type { ReportType } from "./ReportRow.js"

export type Request = typeof ReportRequest.Type
type WithoutId<R> = R extends { readonly id: unknown } ? Omit<R, "id"> : never

/** A report by its type, with the parameters of that type; its name must be plain text (field note A24). */
export type ReportOrder<T extends ReportType = ReportType> = Extract<
  WithoutId<Request>,
  { readonly reportType: T }
>

/**
 * A fresh UUID of version 4. Re-using an id spoils its report (field note A22), so it is not drawn from Effect's
 * `Random`: that starts every process from one of 2^31 seeds, and few reports a day would meet an old id.
 */
export const freshId: Effect.Effect<ReportId> = Effect.sync(() => ReportId.make(randomUUID()))

/**
 * The create call's body: the order under an id, its days clipped to what the marketplace keeps (one year, three
 * months for stock, not after today; field note A24). A text when no day is left or the order breaks a bound.
 */
export const requestOf = (
  id: ReportId,
  order: ReportOrder,
  today: Days.Day
): Either.Either<Request, string> =>
  Either.flatMap(clippedDays(order, today), (days) =>
    Either.mapLeft(
      validate({ ...order, id, params: { ...order.params, ...days } }),
      (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message ?? "the order is not as documented"
    )
  )

/** A stored body as it was asked. */
export const parse: (json: string) => Either.Either<Request, ParseResult.ParseError> = Schema.decodeEither(
  Schema.parseJson(ReportRequest)
)

const validate = Schema.validateEither(ReportRequest)

const clippedDays = ({ params, reportType }: ReportOrder, today: Days.Day): Either.Either<object, string> => {
  if (!("currentPeriod" in params)) {
    const days = Reach.clipMonths({ from: params.startDate, to: params.endDate }, today, 12)
    return Either.map(days, ({ from, to }) => ({ startDate: from, endDate: to }))
  }
  const { end, start } = params.currentPeriod
  const months =
    reportType === "STOCK_HISTORY_REPORT_CSV" || reportType === "STOCK_HISTORY_DAILY_CSV" ? 3 : 12
  const days = Reach.clipMonths({ from: start, to: end }, today, months)
  return Either.map(days, (clipped) => ({ currentPeriod: ofRange(clipped) }))
}
