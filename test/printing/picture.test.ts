/** Pictures of stickers: whole ones are taken as they are, torn and empty ones are found out. */
import { deflateSync, inflateSync } from "node:zlib"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as LabelSheets from "../../src/printing/LabelSheets.js"
import * as Picture from "../../src/printing/Picture.js"
import * as Images from "../../src/sandbox/shop/Images.js"
import * as Depth from "../Depth.js"
import * as Reader from "./Reader.js"
import * as Supply from "./Supply.js"

const flawOf = (file: Uint8Array) =>
  Either.getOrElse(Either.flip(LabelSheets.picture(file, "58x40")), () => "none")

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "ascii"), data])
  const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const
  ends[0].writeUInt32BE(data.length)
  ends[1].writeUInt32BE(Images.crc32(body))
  return Buffer.concat([ends[0], body, ends[1]])
}

/** The bars of an order in another kind of picture; `samplesOf` makes the samples of a dot. */
const drawn = (
  colour: number,
  samplesOf: (dark: boolean) => ReadonlyArray<number>,
  more: ReadonlyArray<Buffer> = []
): Uint8Array => {
  const { height, width } = LabelSheets.sizes["58x40"].pixels
  const { rows } = Either.getOrThrow(Picture.read(Supply.png(1, "58x40")))
  const bits = new Uint8Array(inflateSync(rows!.deflated))
  const stride = 1 + Math.ceil(width / 8)
  const samples = samplesOf(true).length
  const all = Buffer.alloc(height * (1 + width * samples))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const dark = ((bits[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1) === 0
      all.set(samplesOf(dark), y * (1 + width * samples) + 1 + x * samples)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = colour
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", header),
      ...more,
      chunk("IDAT", deflateSync(all)),
      chunk("IEND", new Uint8Array(0))
    ])
  )
}

describe("a sticker's picture", () => {
  it("is refused when it is empty, another file, of another size, or torn anywhere", () => {
    const whole = Supply.png(1, "58x40")
    expect(flawOf(whole)).toBe("none")
    expect(flawOf(new Uint8Array(0))).toBe("not_png")
    expect(flawOf(Buffer.from("<svg/>"))).toBe("not_png")
    expect(flawOf(Supply.png(1, "40x30"))).toBe("other_size")
    fc.assert(
      fc.property(fc.nat(whole.length - 13), (length) => {
        expect(["not_png", "torn"]).toContain(flawOf(whole.subarray(0, length)))
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("may be grey, coloured, of named colours or with transparency: each is printed so that it can be read", async () => {
    const palette = chunk("PLTE", Buffer.from([255, 255, 255, 0, 0, 0]))
    const files = [
      drawn(0, (dark) => [dark ? 0 : 255]),
      drawn(2, (dark) => (dark ? [0, 0, 0] : [255, 255, 255])),
      drawn(3, (dark) => [dark ? 1 : 0], [palette]),
      drawn(6, (dark) => (dark ? [0, 0, 0, 255] : [0, 0, 0, 0]))
    ]
    const labels = files.map((file) => ({
      ...Supply.labels(1)[0]!,
      sticker: Either.getOrThrow(LabelSheets.picture(file, "58x40"))
    }))
    const pdf = await LabelSheets.make(
      labels,
      { size: "58x40", ownPage: undefined, separators: false, total: 4, fonts: Supply.fonts },
      "kinds"
    )
    const pages = await Reader.pages(pdf)
    expect(pages.map(({ codes }) => codes.map(({ text }) => text))).toEqual(
      files.map(() => [Supply.barcodeOf(1)])
    )
  }, 30_000)
})

describe("a cross-border sticker", () => {
  it("is refused when it is empty, torn or another file", async () => {
    for (const file of [new Uint8Array(0), Supply.png(1, "58x40"), Buffer.from("%PDF-1.4\n%%EOF")])
      expect(await LabelSheets.pages(file)).toEqual(Either.left("not_pdf"))
  })
})
