/** `bidhelm call --list`: every operation with what a program or a person needs to choose one. */
import * as Suggest from "../../engine/language/problems/Suggest.js"
import type { Entry } from "../../services/Catalogue.js"
import * as CallRequest from "./CallRequest.js"

/** A row as JSON; limits and batches in the contract's own terms. */
export const json = (entry: Entry) => ({
  id: entry.id,
  area: entry.area,
  access: entry.access,
  method: entry.method,
  path: entry.path,
  host: entry.host,
  tokenCategory: entry.tokenCategory,
  ...(entry.tokenKinds === undefined ? {} : { tokenKinds: entry.tokenKinds }),
  retry: entry.retry,
  ...(entry.batch === undefined ? {} : { batch: entry.batch }),
  limitGroup: entry.limitGroup,
  limits: {
    personal: entry.limits.personal,
    base: typeof entry.limits.base === "string" ? null : entry.limits.base,
    baseRule: baseRule(entry)
  },
  cost4xx: entry.cost4xx,
  ...(entry.quota === undefined ? {} : { quota: entry.quota }),
  success: entry.success,
  errors: entry.errors,
  notes: entry.notes,
  parameters: CallRequest.parameters(entry)
})

/** One line per operation, areas apart. */
export const text = (entries: ReadonlyArray<Entry>): string => {
  const width = Math.max(...entries.map(({ id }) => id.length))
  const lines = entries.flatMap((entry, i) => {
    const head = entries[i - 1]?.area === entry.area ? [] : [`${i === 0 ? "" : "\n"}${entry.area}`]
    const parameters = CallRequest.parameters(entry).join(", ")
    return [...head, `  ${entry.id.padEnd(width)}  ${entry.access.padEnd(5)}  ${parameters}`.trimEnd()]
  })
  return [...lines, "", `${entries.length} operations; bidhelm call --describe OPERATION tells more`].join(
    "\n"
  )
}

const baseRule = ({ limits }: Entry): "own" | "sameAsPersonal" | "notAvailable" =>
  limits.base === "same" ? "sameAsPersonal" : limits.base === "not available" ? "notAvailable" : "own"

type Named = Pick<Entry, "id" | "area">

/**
 * What may have been meant by a name that no operation has. A slip or two are mended; else an operation is meant that does
 * the same to the same thing, by the words of its name and its area: nobody who says set means get.
 */
export const suggestion = (name: string, entries: ReadonlyArray<Named>): string => {
  const ids = entries.map(({ id }) => id)
  const near = Suggest.nearest(name, ids)
  if (near !== undefined && Suggest.distance(name.toLowerCase(), near.toLowerCase(), 3) <= 2)
    return `Did you mean ${near}?`
  const alike = byWords(name, entries)
  return alike.length === 0 ? Suggest.sentence(name, ids) : `Did you mean ${alike.join(" or ")}?`
}

/** The operations that share most words, and of them those that say least beside; `[]` where none does the same. */
const byWords = (name: string, entries: ReadonlyArray<Named>): ReadonlyArray<string> => {
  const wanted = wordsOf(name)
  const ranked = entries.flatMap(({ area, id }) => {
    const own = wordsOf(id)
    const isMeant = wanted.length > 1 && own[0] === wanted[0] && own.includes(wanted.at(-1) ?? "")
    const all = new Set([...own, ...wordsOf(area)])
    const shared = wanted.filter((word) => all.has(word)).length
    const beside = own.filter((word) => !wanted.includes(word)).length
    return isMeant ? [{ id, shared, beside }] : []
  })
  const [best] = [...ranked].sort((a, b) => b.shared - a.shared || a.beside - b.beside)
  return ranked
    .filter(({ beside, shared }) => shared === best?.shared && beside === best.beside)
    .slice(0, mostSuggested)
    .map(({ id }) => id)
}

const mostSuggested = 3

/** `setItemBids`: set, item, bid. Lists are got. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .split(/(?=[A-Z])|[_\-\s]+/)
    .map((word) => word.toLowerCase().replace(/(?<=..)s$/, ""))
    .filter((word) => word !== "")
    .map((word) => (word === "list" || word === "read" ? "get" : word))
