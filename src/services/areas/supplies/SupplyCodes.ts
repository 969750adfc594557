/** Codes to print of supplies and shipping units: the encoded value and the bytes of the file (580x400 px). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Answer from "../../Answer.js"
import type * as Wire from "../../endpoints/SupplyRecords.js"
import type { Undecodable } from "../../MarketplaceError.js"

export interface PrintedCode {
  /** What the code says when it is scanned. */
  readonly barcode: string | undefined
  /** Never empty; in the format that was asked for. */
  readonly file: Uint8Array
}

/** Unpacks the base64 file; an empty or broken one is no code to print. */
export const unpack = (
  operation: string,
  { barcode, file = "" }: typeof Wire.Code.Type
): Effect.Effect<PrintedCode, Undecodable> => {
  const bytes = Encoding.decodeBase64(file)
  if (Either.isLeft(bytes)) return Effect.fail(unprintable(operation, "the file is not base64"))
  return bytes.right.byteLength === 0
    ? Effect.fail(unprintable(operation, "the file is empty"))
    : Effect.succeed({ barcode, file: bytes.right })
}

const unprintable = (operation: string, text: string): Undecodable =>
  Answer.undecodable(operation, undefined, text)
