import { inflateSync } from "node:zlib"
import { expect, test } from "vitest"
import * as Images from "../../src/sandbox/shop/Images.js"
import type { Json, Marketplace } from "./Real.js"
import { ask, deliver, labelPath, outcome, put, supplies, supplyOf, withShop } from "./ShopOrders.js"

const minuteMs = 60_000
const stickers = (m: Marketplace, orders: ReadonlyArray<number>, query = "type=svg&width=58&height=40") =>
  ask(m, "POST", `/api/v3/orders/stickers?${query}`, { orders })
const crossBorder = async (m: Marketplace, orders: ReadonlyArray<number>) =>
  (await ask(m, "POST", "/api/v3/orders/stickers/cross-border", { orders })).json.stickers
const bytes = (file: string) => Buffer.from(file, "base64")

/** Reads a PNG as a decoder would: signature, checked chunks, inflated rows of one bit per pixel. */
const readPng = (file: Buffer) => {
  expect(file.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a")
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at)
    const body = file.subarray(at + 4, at + 8 + length)
    expect(file.readUInt32BE(at + 8 + length)).toBe(Images.crc32(body))
    chunks.set(body.subarray(0, 4).toString("ascii"), body.subarray(4))
    at += length + 12
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"])
  const header = chunks.get("IHDR")!
  const rows = inflateSync(chunks.get("IDAT")!)
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4), depth: header[8], rows }
}

test("the checksum of the picture is the standard one", () => {
  expect(Images.crc32(Buffer.from("123456789"))).toBe(0xcbf43926)
})

test("a sticker comes as SVG with both parts, as printer commands, and as a picture of the asked size", () =>
  withShop(async (m) => {
    const [order] = put(m, 1) as [number]
    await supplyOf(m, [order])
    const one = async (query: string) => (await stickers(m, [order], query)).json.stickers[0]
    const svg = await one("type=svg&width=58&height=40")
    expect(svg).toEqual({
      orderId: order,
      partA: expect.stringMatching(/^\d+$/),
      partB: expect.stringMatching(/^\d{4}$/),
      barcode: expect.stringMatching(/^\*[0-9A-Z]+$/),
      file: expect.any(String)
    })
    const drawing = bytes(svg.file).toString("utf8")
    expect(drawing).toMatch(/^<\?xml [^>]+>\n<svg xmlns="[^"]+" width="580" height="400"/)
    expect(drawing.trimEnd()).toMatch(/<\/svg>$/)
    expect(drawing.split("<rect ").length).toBeGreaterThan(20)
    for (const part of [svg.partA, svg.partB]) expect(drawing).toContain(`>${part}</text>`)
    for (const [type, across] of [
      ["zplv", "^PW400"],
      ["zplh", "^PW580"]
    ]) {
      const commands = bytes((await one(`type=${type}&width=58&height=40`)).file).toString("utf8")
      expect(commands).toMatch(/^\^XA\n[\s\S]*\n\^XZ$/)
      for (const text of [across, `^FD${svg.barcode}^FS`, `^FD${svg.partB}^FS`])
        expect(commands).toContain(text)
    }
    for (const [width, height, pixels] of [
      [58, 40, [580, 400]],
      [40, 30, [400, 300]]
    ] as const) {
      const sticker = await one(`type=png&width=${width}&height=${height}`)
      const png = readPng(bytes(sticker.file))
      expect([png.width, png.height, png.depth]).toEqual([...pixels, 1])
      expect(png.rows).toHaveLength(pixels[1] * (1 + Math.ceil(pixels[0] / 8)))
      expect(png.rows.subarray(60 * (1 + Math.ceil(pixels[0] / 8))).includes(0)).toBe(true)
    }
  }))

test("width and height must be a pair of the two sizes", () =>
  withShop(async (m) => {
    const orders = put(m, 1)
    for (const query of [
      "type=png&width=58&height=30",
      "type=png&width=40&height=40",
      "type=pdf&width=58&height=40"
    ])
      expect((await stickers(m, orders, query)).status).toBe(400)
  }))

test("only orders in assembly or in delivery have a sticker; the others are silently missing", () =>
  withShop(async (m) => {
    const [fresh, confirmed, shipped] = put(m, 3) as [number, number, number]
    const [cancelled] = put(m, 1, { statuses: [{ status: "cancel", at: 0 }] }) as [number]
    await supplyOf(m, [confirmed])
    await deliver(m, await supplyOf(m, [shipped]))
    const answer = await stickers(m, [fresh, confirmed, cancelled, 99, shipped, shipped])
    expect(answer.status).toBe(200)
    expect(answer.json.stickers.map((s: Json) => s.orderId)).toEqual([confirmed, shipped])
    const barcodes = new Set(answer.json.stickers.map((s: Json) => s.barcode))
    expect(barcodes.size).toBe(2)
  }))

test("one missing required customs declaration holds back all stickers, until it is given", () =>
  withShop(async (m) => {
    const [abroad] = put(m, 1, { required: ["customsDeclaration"] }) as [number]
    const orders = [abroad, ...put(m, 1)]
    expect((await stickers(m, orders)).json.stickers).toEqual([])
    await supplyOf(m, orders)
    expect(outcome(await stickers(m, orders))).toEqual([409, "CustomsDeclarationIsRequired"])
    await ask(m, "PUT", labelPath(abroad, "customs-declaration"), {
      customsDeclaration: "10702070/010126/0001234"
    })
    expect((await stickers(m, orders)).json.stickers).toHaveLength(2)
  }))

test("a cross-border sticker is awaited with empty texts for two to ten minutes, then it is a PDF", () =>
  withShop(async (m) => {
    const abroad = put(m, 3, { crossBorder: true })
    const domestic = put(m, 1)
    expect(await crossBorder(m, abroad)).toEqual([])
    await supplyOf(m, abroad)
    await supplyOf(m, domestic)
    const empty = { parcelId: "", file: "", partA: "", partB: "", barcode: "" }
    expect(await crossBorder(m, [...abroad, ...domestic])).toEqual(
      abroad.map((orderId) => ({ orderId, status: "awaitingTrackNumber", ...empty }))
    )
    m.advance(10 * minuteMs)
    const ready = await crossBorder(m, abroad)
    for (const sticker of ready) {
      expect(sticker).toMatchObject({ status: "ready", parcelId: expect.stringMatching(/^CB\d+$/) })
      const pdf = bytes(sticker.file).toString("latin1")
      expect(pdf).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/)
      expect(pdf).toContain(`(${sticker.parcelId}) Tj`)
      const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1])
      expect(pdf.slice(start, start + 4)).toBe("xref")
      for (const [i, row] of [...pdf.matchAll(/^(\d{10}) 00000 n $/gm)].entries())
        expect(pdf.slice(Number(row[1]))).toMatch(new RegExp(`^${i + 1} 0 obj\n`))
      const content = /<< \/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(pdf)
      expect(content?.[2]).toHaveLength(Number(content?.[1]))
    }
  }))

test("every format of a supply's and of a unit's code is a file of 580 by 400", () =>
  withShop(async (m) => {
    const id = await supplyOf(m, put(m, 4))
    const { trbxIds } = (await ask(m, "POST", `${supplies}/${id}/trbx`, { amount: 1 })).json
    await deliver(m, id)
    for (const type of ["svg", "zplv", "zplh", "png"]) {
      const own = (await ask(m, "GET", `${supplies}/${id}/barcode?type=${type}`)).json
      const unit = (await ask(m, "POST", `${supplies}/${id}/trbx/stickers?type=${type}`, { trbxIds })).json
        .stickers[0]
      expect([own.barcode, unit.barcode]).toEqual([id, trbxIds[0]])
      for (const { barcode, file } of [own, unit]) {
        if (type === "png") expect(readPng(bytes(file))).toMatchObject({ width: 580, height: 400 })
        else expect(bytes(file).toString("utf8")).toContain(barcode)
      }
    }
  }))
