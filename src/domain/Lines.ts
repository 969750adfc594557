/**
 * Lines of UTF-8, one JSON each. They end at line feeds alone: `node:readline` ends them at U+2028 and U+2029 too, from
 * Node 24 on, and `JSON.stringify` leaves these as they are.
 */

const lineFeed = 10

/**
 * The lines of bytes that come in pieces, without their line feed or CRLF; the last one may lack its end. Throws at a line
 * of more than `most` bytes, when it has kept no more than these and a piece.
 */
export async function* of(
  pieces: AsyncIterable<Uint8Array>,
  most = Number.POSITIVE_INFINITY
): AsyncGenerator<string, void, undefined> {
  // Pieces are cut anywhere, in the middle of a sign too, and no other sign has the byte of a line feed in it.
  let begun: Array<Uint8Array> = []
  let length = 0
  for await (const piece of pieces) {
    let from = 0
    for (let to = piece.indexOf(lineFeed); to >= 0; to = piece.indexOf(lineFeed, from)) {
      yield text([...begun, piece.subarray(from, to)])
      begun = []
      length = 0
      from = to + 1
    }
    if (from < piece.length) begun.push(piece.subarray(from))
    length += piece.length - from
    if (length > most) throw new RangeError(`a line is longer than ${most} bytes`)
  }
  if (begun.length > 0) yield text(begun)
}

const text = (line: ReadonlyArray<Uint8Array>): string => {
  const whole = Buffer.concat(line).toString("utf8")
  return whole.endsWith("\r") ? whole.slice(0, -1) : whole
}
