/** `bidhelm call --list`: every operation with what a program or a person needs to choose one. */
import type { Entry } from "../services/Catalogue.js"
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
