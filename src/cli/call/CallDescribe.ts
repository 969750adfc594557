/** `bidhelm call --describe OPERATION`: what it takes, what it answers, what can go wrong, what it costs. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Entry } from "../../services/Catalogue.js"
import * as ErrorBody from "../../services/ErrorBody.js"
import * as FieldNotes from "../../services/FieldNotes.js"
import { fromAnswer } from "../../services/MarketplaceError.js"
import * as Operation from "../../services/Operation.js"
import * as Shape from "../../services/Shape.js"
import * as Duration from "../terminal/Duration.js"
import * as CallExample from "./CallExample.js"
import * as CallList from "./CallList.js"

interface Parameter extends Shape.Field {
  readonly place: "path" | "query" | "body"
}

/** Everything as JSON. */
export const json = (entry: Entry) => ({
  ...CallList.json(entry),
  parameters: parameters(entry),
  answer: answer(entry),
  errors: errors(entry),
  ...(entry.verifyBy === undefined ? {} : { verifyBy: entry.verifyBy }),
  ...(entry.entries === undefined ? {} : { oddEntry: oddEntry(entry)[0] }),
  testEnvironment: entry.testHost,
  notes: entry.notes.map((id) => ({ id, ...FieldNotes.notes[id] }))
})

/** For people. `nowMs` is the instant that the days of the example lie before. */
export const text = (entry: Entry, nowMs: number): string =>
  [
    `${entry.id}   ${entry.method} ${entry.path}`,
    `${nature(entry)}; area ${entry.area}, host ${entry.host}, token category ${entry.tokenCategory}`,
    section(
      "Parameters",
      parameters(entry).flatMap((one) => parameterLine(one).split("\n")),
      "none"
    ),
    section("Answer", [...Shape.wrapped(answer(entry)).split("\n"), ...oddEntry(entry)]),
    section("Errors", errors(entry).map(errorLine)),
    section("Limits", limitLines(entry)),
    section("After an unknown outcome", [afterUnknown(entry)]),
    section("Field notes", entry.notes.map(noteLine), "none"),
    section("Example", [CallExample.of(entry, nowMs)])
  ].join("\n")

const section = (title: string, lines: ReadonlyArray<string>, none = ""): string =>
  ["", title, ...(lines.length === 0 ? [none] : lines).map((line) => `  ${line}`)].join("\n")

const nature = (entry: Entry): string =>
  entry.access === "read"
    ? entry.quota === undefined
      ? "reads"
      : `reads; takes one of ${entry.quota.perDay} a day: needs --yes, or an answer at a terminal`
    : `changes the account${entry.sideEffectGet ? ", although its method is GET" : ""}: needs --yes`

const parameters = (entry: Entry): ReadonlyArray<Parameter> => {
  const { pathSchema, payloadSchema, urlParamsSchema } = entry.endpoint
  const body = Option.match(payloadSchema, {
    onNone: () => [],
    onSome: (schema: Schema.Schema.All) => {
      const fields = Shape.fields(Shape.onWire(schema.ast))
      const whole = { name: "(the whole body)", shape: Shape.line(Shape.onWire(schema.ast)), required: true }
      return fields.length > 0 ? fields : [whole]
    }
  })
  return [
    ...placed("path", written(pathSchema)),
    ...placed("query", written(urlParamsSchema)),
    ...placed("body", body)
  ]
}

const written = (schema: Option.Option<Schema.Schema.All>): ReadonlyArray<Shape.Field> =>
  Option.match(schema, { onNone: () => [], onSome: ({ ast }) => Shape.fields(Shape.written(ast)) })

const placed = (place: Parameter["place"], fields: ReadonlyArray<Shape.Field>): ReadonlyArray<Parameter> =>
  fields.map((field) => ({ place, ...field }))

const parameterLine = ({ name, place, required, shape }: Parameter): string =>
  `${name}  ${Shape.wrapped(shape)}  (${place}${required ? "" : ", optional"})`

const answer = (entry: Entry): string => {
  const shape =
    entry.file !== undefined ? "a file" : Shape.line(Shape.onWire(entry.endpoint.successSchema.ast))
  return `${entry.success.join(" or ")}: ${shape}`
}

const oddEntry = ({ entries }: Entry): ReadonlyArray<string> => {
  if (entries === undefined) return []
  if ("whole" in entries) return [`unreadable when one entry of a list is: ${entries.whole}`]
  const lists = entries.apart.map(({ at }) => (at === "" ? "the list" : at)).join(", ")
  return [`an entry of ${lists} that cannot be read is left out and told; the others stand`]
}

interface Failure {
  readonly status: number
  /** Error of the client's vocabulary that it becomes. */
  readonly error: string
  /** Shape of the body. */
  readonly body: string
  readonly codes: ReadonlyArray<string>
}

const errors = (entry: Entry): ReadonlyArray<Failure> =>
  entry.errors.map((status) => ({
    status,
    error: fromAnswer({ operation: entry.id, status, text: "", retryAfterMs: undefined })._tag,
    body: bodies[ErrorBody.shapeOf(status, entry.errorShape, entry.host)],
    codes: entry.errorCodes?.[status] ?? []
  }))

const bodies: Readonly<Record<ErrorBody.Shape, string>> = {
  problem: "{detail, origin, request_id, status, title}",
  error: "{error}",
  string: "a JSON text",
  text: "plain text",
  fields: "{errors: [{detail, field}], detail, …}",
  code: "{code, message, data?}",
  archive: "{title, detail, errors: [{location, message, value}], …}",
  detail: "{title, detail, requestId, origin}",
  title: "{title, detail}",
  errorText: "{errorText}",
  none: "no body",
  problem8: "{title, detail, code, requestId, origin, status, statusText, timestamp}"
}

const errorLine = ({ body, codes, error, status }: Failure): string =>
  `${status} ${error}  ${body}${codes.length === 0 ? "" : `  ${codes.join(", ")}`}`

const limitLines = (entry: Entry): ReadonlyArray<string> => {
  const kinds = ["personal", "service", "base_with_secret", "base"] as const
  const cost = entry.cost4xx > 1 ? [`a 4xx answer counts as ${entry.cost4xx} requests`] : []
  const [stated, kept] = [Operation.limitOf(entry, "base"), Operation.prudentLimitOf(entry, "base")]
  const prudence =
    kept?.intervalMs === stated?.intervalMs
      ? []
      : [`with a Base token this program keeps to ${limitText(kept)}`]
  const quota =
    entry.quota === undefined ? [] : [`at most ${entry.quota.perDay} a day (${entry.quota.group})`]
  return [
    ...kinds.map((kind) => `${kind.padEnd(16)}  ${limitText(Operation.limitOf(entry, kind))}`),
    ...prudence,
    `bucket ${entry.limitGroup}`,
    ...cost,
    ...quota
  ]
}

const limitText = (limit: Operation.Limit | undefined): string =>
  limit === undefined
    ? "not available"
    : `${limit.requests} per ${Duration.format(limit.periodMs)}, one every ${Duration.pace(limit.intervalMs)}, burst ${limit.burst}`

const afterUnknown = (entry: Entry): string => {
  switch (entry.retry) {
    case "safe":
      return "it is asked again by itself"
    case "verify":
      return `look first: ${entry.verifyBy ?? "read the state"}; repeat only if it did not arrive`
    case "manual":
      return `never repeated by itself: ${entry.verifyBy ?? "a person decides"}`
  }
}

const noteLine = (id: string): string => {
  const note = FieldNotes.notes[id]
  return note === undefined ? id : `${id} ${note.quirk} → ${note.remedy}`
}
