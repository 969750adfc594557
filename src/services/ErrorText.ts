/**
 * The marketplace's own words out of an error body of any shape (not-shown §3, field note T10): text first, then
 * JSON if it is JSON. The result is one line, at most 300 characters, without tokens or control characters.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Json from "../domain/Json.js"
import * as Redact from "../domain/Redact.js"

const longest = 300

/** Words of an error body; empty when it has none. */
export const of = (body: string): string => clean(isHtml(body) ? pageTitle(body) : words(parse(body), body))

/** Code and data of a `{code, message, data?}` body (not-shown §3.1); absent where the body has none. */
export const codeOf = (body: string): { readonly code: string | undefined; readonly data: unknown } => {
  const json = Option.getOrUndefined(parse(body))
  if (!Predicate.isRecord(json)) return { code: undefined, data: undefined }
  const { code, data } = json
  return { code: typeof code === "string" && /^[A-Za-z]{1,60}$/.test(code) ? code : undefined, data }
}

/** One line, secrets and control characters removed, cut. For any foreign text that reaches a message. */
export const clean = (text: string): string => {
  const line = Redact.text(text.slice(0, longest * 20))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they could steer the reader's terminal
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim()
  const characters = [...line]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line
}

/** A page where data was promised: a proxy, a sign-in page, an outage notice. */
export const isHtml = (body: string): boolean => /^\s*(<!doctype|<html|<head|<body|<h1|<\?xml)/i.test(body)

/** JSON value of a body; none when it cannot be read as JSON. */
export const parse = (body: string): Option.Option<unknown> => Option.getRight(Json.read(body))

const words = (json: Option.Option<unknown>, body: string): string =>
  Option.match(json, { onNone: () => body, onSome: (value) => fromJson(value) ?? body })

const fromJson = (value: unknown): string | undefined => {
  if (value === null) return ""
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(fromJson).find((text) => text !== undefined && text !== "")
  if (!Predicate.isRecord(value)) return undefined
  const details = Array.isArray(value.errors) ? value.errors.map(fieldError) : []
  const said = [
    field(value, "title"),
    field(value, "detail"),
    field(value, "message"),
    field(value, "error"),
    field(value, "errorText"),
    ...details
  ].filter((text): text is string => text !== undefined && text !== "")
  const unique = [...new Set(said)]
  return unique.length > 0 ? unique.join("; ") : (field(value, "statusText") ?? field(value, "code"))
}

const field = (record: Record<string, unknown>, key: string): string | undefined => {
  const value = record[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

const fieldError = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (!Predicate.isRecord(value)) return undefined
  const where = field(value, "field") ?? field(value, "location")
  const what = field(value, "detail") ?? field(value, "message")
  return where === undefined || what === undefined ? (what ?? where) : `${where}: ${what}`
}

const pageTitle = (body: string): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? /<h1[^>]*>([^<]*)<\/h1>/i.exec(body)?.[1]
  return title === undefined ? "a web page instead of data" : `a web page instead of data: ${title}`
}
