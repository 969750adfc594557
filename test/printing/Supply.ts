/** A supply's labels as the sandbox's marketplace makes them, and goods with the names that people give. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import { OrderId } from "../../src/domain/Ids.js"
import * as LabelSheets from "../../src/printing/LabelSheets.js"
import * as Line from "../../src/printing/Line.js"
import type { Fonts } from "../../src/printing/Paper.js"
import * as Images from "../../src/sandbox/shop/Images.js"

const require = createRequire(import.meta.url)
const font = (name: string) =>
  new Uint8Array(readFileSync(require.resolve(`@expo-google-fonts/pt-sans/${name}.ttf`)))

export const fonts: Fonts = {
  regular: font("400Regular/PTSans_400Regular"),
  bold: font("700Bold/PTSans_700Bold")
}

export const orderId = (n: number) => OrderId.make(8_000_000_000 + n)

/** What the sandbox writes into the bars of an order. */
export const barcodeOf = (n: number): string => `*${(28_000_000_000 + n).toString(36).toUpperCase()}`

/** A whole marking code: item, serial number, key and signature, parted by group separators. */
export const markOf = (n: number): string =>
  `010460123456789321${`S"${n}`.padEnd(13, "x")}\u001d91EE10\u001d92${"abcdEFGH1234+/=".repeat(3).slice(0, 44)}`

const names = ["Куртка ветровка с капюшоном, подъёмная ёлочка", "Платье", "Носки детские № 5 (3 пары)"]

export const line = (n: number, more: Partial<Line.Line> = {}): Line.Line => ({
  orderId: orderId(n),
  position: n,
  basketId: `basket ${Math.ceil(n / 3)}`,
  article: `АРТ-${(n * 7) % 5}/${n % 3}`,
  itemId: 200_000_000 + (n % 4),
  barcode: String(2_000_000_000_000 + (n % 6)),
  name: names[n % names.length],
  size: ["42", "44", "XL"][n % 3],
  colour: "тёмно-синий",
  cell: n % 4 === 0 ? undefined : `А-${n % 4}-${n % 11}`,
  ...more
})

/** So many orders in their sorted order, every third with a mark. */
export const labels = (count: number, size: LabelSheets.Size = "58x40"): ReadonlyArray<LabelSheets.Label> =>
  Line.sorted(
    Array.from({ length: count }, (_, i) => line(i + 1)),
    Line.usualKeys
  ).map((one, i) => ({
    line: { ...one, position: i + 1 },
    sticker: stickerOf(one.orderId - orderId(0), size),
    digits: String(one.orderId).slice(-4),
    marks: one.orderId % 3 === 0 ? [markOf(one.orderId)] : []
  }))

export const png = (n: number, size: LabelSheets.Size): Uint8Array =>
  new Uint8Array(
    Buffer.from(
      Images.base64(
        { barcode: barcodeOf(n), lines: [] },
        "png",
        size === "58x40" ? Images.large : Images.small
      ),
      "base64"
    )
  )

const stickerOf = (n: number, size: LabelSheets.Size): LabelSheets.Sticker =>
  Either.getOrThrow(LabelSheets.picture(png(n, size), size))
