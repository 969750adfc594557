import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Lines from "../../src/domain/Lines.js"

const read = async (pieces: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  for await (const line of Lines.of(arriving(pieces))) lines.push(line)
  return lines
}

async function* arriving(pieces: ReadonlyArray<Uint8Array>) {
  yield* pieces
}

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8")

/** Signs of one to four bytes, and those that others take for the end of a line. */
const sign = fc.constantFrom("a", "ж", "\u2028", "\u2029", "\u0085", "\v", "\f", "\r", "😀", " ")
const line = fc
  .array(sign)
  .map((signs) => signs.join(""))
  .filter((text) => !text.endsWith("\r"))

describe("lines", () => {
  it("are what was written between line feeds, wherever the bytes are cut", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom("\n", "\r\n"),
        fc.array(fc.nat(40)),
        async (lines, end, sizes) => {
          const whole = bytes(lines.map((text) => text + end).join(""))
          const pieces: Array<Uint8Array> = []
          let from = 0
          for (const size of sizes) {
            pieces.push(whole.subarray(from, from + size))
            from += size
          }
          pieces.push(whole.subarray(from))
          expect(await read(pieces)).toEqual(lines)
        }
      )
    ))

  it("are the same when every byte comes alone", async () => {
    const whole = bytes('{"name":"Кроссовки\u2028летние 😀"}\n\n["\u2029"]\r\nend')
    expect(await read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual([
      '{"name":"Кроссовки\u2028летние 😀"}',
      "",
      '["\u2029"]',
      "end"
    ])
  })

  it("have one more when the last has no end, and none when nothing comes", async () => {
    expect(await read([bytes("a\nb")])).toEqual(["a", "b"])
    expect(await read([bytes("a\n")])).toEqual(["a"])
    expect(await read([])).toEqual([])
  })

  it("may be as long as they like, in many pieces", async () => {
    const long = "ж".repeat(2_000_000)
    const whole = bytes(`${long}\n${long}`)
    const pieces = Array.from({ length: Math.ceil(whole.length / 999) }, (_, n) =>
      whole.subarray(n * 999, (n + 1) * 999)
    )
    const lines = await read(pieces)
    expect(lines.map((text) => text === long)).toEqual([true, true])
  })

  it("let go of where the bytes come from when nobody reads on", async () => {
    let isLetGo = false
    async function* endless() {
      try {
        for (;;) yield bytes("a\n")
      } finally {
        isLetGo = true
      }
    }
    for await (const first of Lines.of(endless())) {
      expect(first).toBe("a")
      break
    }
    expect(isLetGo).toBe(true)
  })
})
