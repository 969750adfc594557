/** How the store keeps long texts: compressed, since plans and facts of a day say the same words again and again. Pure. */
import { gunzipSync, gzipSync } from "node:zlib"

/** A fifth of the time of the usual level for a twelfth more bytes, and half that of the next level for a fortieth. */
const level = 2

/** The bytes that a column keeps for a text. Throws where there is no memory for them. */
export const of = (text: string): Uint8Array => gzipSync(text, { level })

/** As `of`, for a text that is made in pieces: the whole of a large one would stand in memory beside its bytes. */
export const ofPieces = (pieces: Iterable<string>): Uint8Array => Buffer.concat(Array.from(pieces, of))

/** The text of such bytes. Throws when they are none that `of` made. */
export const text = (bytes: Uint8Array): string => gunzipSync(bytes).toString("utf8")
