/** The field notes by id (`O10`), as operations name them: what real clients run into and what to do about it. */
import * as Advertising from "./notes/Advertising.js"
import * as Analytics from "./notes/Analytics.js"
import type { Note } from "./notes/Note.js"
import * as Orders from "./notes/Orders.js"
import * as Transport from "./notes/Transport.js"

/** Every note, by id. */
export const notes: Readonly<Record<string, Note>> = {
  ...Transport.notes,
  ...Orders.notes,
  ...Advertising.notes,
  ...Advertising.promotionNotes,
  ...Analytics.notes
}

/** `docs/field-notes.md`. */
export const markdown = (): string =>
  [
    "# Field notes",
    "",
    "Generated from `src/services/notes`. Each note: what clients of the marketplace run into, then what a robust client does about it.",
    "",
    ...Object.entries(notes).map(([id, { quirk, remedy }]) => `- **${id}** ${quirk} → ${remedy}`),
    ""
  ].join("\n")
