/** Printable codes as real files: SVG, ZPL, PNG (seed 000 "Stickers"), with bars that a scanner reads. */
import { deflateSync } from "node:zlib"
import * as Code128 from "./Code128.js"

export type Format = "svg" | "zplv" | "zplh" | "png"

/** What is printed: the encoded value, and the lines a person reads. Letters, digits, `-` and `*` only. */
export interface Code {
  readonly barcode: string
  readonly lines: ReadonlyArray<string>
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** 58 mm by 40 mm, and 40 mm by 30 mm, in pixels. */
export const large: Size = { width: 580, height: 400 }
export const small: Size = { width: 400, height: 300 }

/** The file in Base64, as every answer carries it. */
export const base64 = (code: Code, format: Format, size: Size): string => {
  const file = format === "png" ? png(code, size) : Buffer.from(textFile(code, format, size), "utf8")
  return file.toString("base64")
}

const textFile = (code: Code, format: "svg" | "zplv" | "zplh", size: Size): string => {
  if (format === "svg") return svg(code, size)
  return format === "zplh" ? zpl(code, size, "N") : zpl(code, { width: size.height, height: size.width }, "R")
}

/** Dark bars as `[x, width]` in pixels, in the middle of the width; five modules on each side stay white. */
const barsOf = (barcode: string, width: number): ReadonlyArray<readonly [x: number, width: number]> => {
  const { bars, modules } = Code128.of(barcode)
  const module = Math.max(1, Math.floor(width / (modules + 10)))
  const left = Math.floor((width - module * modules) / 2)
  return bars.map(([from, wide]) => [left + from * module, wide * module] as const)
}

const margin = 20

const svg = ({ barcode, lines }: Code, { width, height }: Size): string => {
  const bars = barsOf(barcode, width).map(
    ([x, w]) => `<rect x="${x}" y="${margin}" width="${w}" height="${height / 2}"/>`
  )
  const texts = lines.map((line, i) => {
    const y = height / 2 + margin + 50 + i * 44
    return `<text x="${width / 2}" y="${y}" font-size="36" text-anchor="middle">${line}</text>`
  })
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<svg xmlns="http://www.w3.org/2000/svg" ${box}>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...bars,
    ...texts,
    `</svg>`
  ].join("\n")
}

/** Printer commands; `R` turns everything by a quarter for a label that is fed upright. */
const zpl = ({ barcode, lines }: Code, { width, height }: Size, turn: "N" | "R"): string =>
  [
    "^XA",
    `^PW${width}`,
    `^LL${height}`,
    "^CI28",
    `^FO${margin},${margin}^BY2^BC${turn},${Math.floor(Math.min(width, height) / 2)},N,N,N^FD${barcode}^FS`,
    ...lines.map((line, i) => {
      const far = Math.floor(Math.min(width, height) / 2) + 2 * margin + i * 44
      return turn === "N"
        ? `^FO${margin},${far}^A0N,36,36^FD${line}^FS`
        : `^FO${far},${margin}^A0R,36,36^FD${line}^FS`
    }),
    "^XZ"
  ].join("\n")

const png = ({ barcode }: Code, { width, height }: Size): Buffer => {
  const stride = Math.ceil(width / 8)
  const blank = Buffer.alloc(1 + stride, 0xff)
  blank[0] = 0
  const barred = Buffer.from(blank)
  for (const [from, wide] of barsOf(barcode, width))
    for (let x = from; x < from + wide; x++) {
      const at = 1 + (x >> 3)
      barred[at] = (barred[at] ?? 0) & ~(0x80 >> (x & 7))
    }
  const rows = Array.from({ length: height }, (_, y) => (y >= margin && y < height * 0.75 ? barred : blank))
  return file(width, height, deflateSync(Buffer.concat(rows), { level: 9 }))
}

// The container of a PNG: signature and checked chunks.

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A picture of one bit per pixel, white 1; `data` is its rows, each after a filter byte 0, deflated. */
const file = (width: number, height: number, data: Uint8Array): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(1, 8)
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array(0))
  ])
}

/** Checksum of PNG and ZIP (CRC-32, reflected polynomial EDB88320). */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "ascii"), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
