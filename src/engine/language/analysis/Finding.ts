/** What the analysis found at a place; `Analyse.ts` turns it into a diagnostic. */
import type { Span } from "../Policy.js"
import type { Diagnostic } from "../problems/Diagnostic.js"

export type Finding = Omit<Diagnostic, "file">

/** How to name a place from another: its line, with its file where that is another one. */
export const line = (place: Span, from: Span): string =>
  place.file === from.file ? `line ${place.line}` : `${place.file}:${place.line}`
