/** Instants as tests write them. */
import * as Days from "../../domain/Days.js"

/** An instant with its offset, such as `2026-09-01T09:00+03:00`, in epoch milliseconds; undefined for other texts. */
export const parse = (text: string): number | undefined => {
  const match = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/.exec(
    text
  )
  return match === null || Days.parse(match[1]!) === undefined ? undefined : Date.parse(text)
}
