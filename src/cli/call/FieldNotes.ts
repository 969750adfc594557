/** The field notes by id (`O10`), as operations name them: what real clients run into, and what a robust client does about it. */
import * as PackageFiles from "../terminal/PackageFiles.js"

interface Note {
  readonly quirk: string
  readonly remedy: string
}

/** Undefined where the page has no note of the id. */
export const of = (id: string): Note | undefined => {
  notes ??= read(PackageFiles.fieldNotes())
  return notes.get(id)
}

let notes: ReadonlyMap<string, Note> | undefined

/** A note is a line of the page: `- **O10** quirk → remedy`. */
const read = (page: string): ReadonlyMap<string, Note> =>
  new Map(
    [...page.matchAll(/^- \*\*(\w+)\*\* (.+?) → (.+)$/gm)].map(([, id = "", quirk = "", remedy = ""]) => [
      id,
      { quirk, remedy }
    ])
  )
