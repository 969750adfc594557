/** How the store keeps long texts: compressed, since plans and facts of a day say the same words again and again. Pure. */
import { gunzipSync, gzipSync } from "node:zlib"

/** Half the time of the usual level for a tenth more bytes. */
const level = 3

/** The bytes that a column keeps for a text. Throws where there is no memory for them. */
export const of = (text: string): Uint8Array => gzipSync(text, { level })

/** The text of such bytes. Throws when they are none that `of` made. */
export const text = (bytes: Uint8Array): string => gunzipSync(bytes).toString("utf8")
