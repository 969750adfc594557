/** `bidhelm economics`: what is known of what items cost and earn, and a table to fill in, over a real sandbox. */
import { existsSync, renameSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
})
afterAll(() => shop.close())

const path = "rules/_shared/economics.csv"
const known = `item;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;комментарий
*;;10;17;15;1,5;60;50;5;6;доходы;0;
`

interface Told {
  readonly table: string | null
  readonly items: number
  readonly unknownColumns: ReadonlyArray<string>
  readonly namedTwice: ReadonlyArray<number>
  readonly unmatched: ReadonlyArray<{ readonly key: number | string; readonly alike?: number }>
  readonly terms: ReadonlyArray<{
    readonly term: string
    readonly known: number
    readonly missing: ReadonlyArray<number>
    readonly unreadable: ReadonlyArray<number>
  }>
  readonly earnings: ReadonlyArray<{
    readonly itemId: number
    readonly values: Record<string, number | string | null>
  }>
}

/** The analytics host, by which nobody ordered anything. */
const withoutOrders = async () => {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" && !/^(host|connection|content-length|accept-encoding)$/.test(name)
          ? [[name, value]]
          : []
      )
    )
    const answer = await fetch(`${shop.url}${request.url}`, {
      method: request.method ?? "GET",
      headers,
      ...(body === "" ? {} : { body })
    })
    const text = (await answer.text()).replace(/"orderCount":\d+/g, '"orderCount":0')
    const kept = [...answer.headers].filter(([name]) => !/^(content-length|content-encoding)$/.test(name))
    response.writeHead(answer.status, Object.fromEntries(kept)).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const told = async () => JSON.parse((await shop.run("economics", "--json")).stdout) as Told

describe("bidhelm economics", () => {
  it("says that there is no table and how to get one, and never makes an item's cost zero", async () => {
    const { code, stderr, stdout } = await shop.run("economics")
    expect([code, stdout]).toEqual([0, expect.stringContaining("There is no economics table")])
    expect(stderr).toContain("bidhelm economics template --out")
    const { earnings, items, table, terms } = await told()
    expect([table, earnings]).toEqual([null, []])
    expect(terms.every(({ known, missing }) => known === 0 && missing.length === items)).toBe(true)
  })

  it("writes a table of every item that it reads back itself, and never over one that is there", async () => {
    const made = await shop.run("economics", "template", "--out", path)
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining(`is in ${path}`)])
    const lines = shop.read(path).trim().split("\r\n")
    const { items } = await told()
    expect(lines.length).toBe(items + 2)
    expect(lines[1]).toMatch(/^\*;;every item;+$/)
    const again = await shop.run("economics", "template", "--out", path)
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("is there already and stays as it is")
    ])
    expect((await shop.run("check")).code).toBe(0)
  })

  it("names what is missing and for which items, and shows the thinnest margins first", async () => {
    const items = shop
      .read(path)
      .split("\r\n")
      .flatMap((line) => /^(\d+);/.exec(line)?.[1] ?? [])
    const [first, second, third] = items
    shop.write(
      path,
      `${known}${items
        .slice(2)
        .map((item, at) => `${item};${100 + at}\n`)
        .join("")}${first};12O\n`
    )
    const { earnings, table, terms, unknownColumns } = await told()
    expect([table, unknownColumns]).toEqual([path, ["комментарий"]])
    const cost = terms.find(({ term }) => term === "unit_cost")!
    expect([cost.known, cost.missing, cost.unreadable]).toEqual([
      items.length - 2,
      [Number(second)],
      [Number(first)]
    ])
    for (const term of terms.filter(({ term }) => !/unit_cost|floor|stated/.test(term)))
      expect(term.known, term.term).toBe(items.length)
    const margins = earnings.map(({ values }) => Number(values.margin))
    expect(margins.length).toBeGreaterThan(3)
    expect(margins).toEqual([...margins].sort((a, b) => a - b))
    expect(earnings.map(({ itemId }) => String(itemId))).not.toContain(first)
    const { stderr, stdout } = await shop.run("economics")
    expect(stdout).toContain(`unit cost: missing for 1 item: ${second}; cannot be used for 1 item: ${first}`)
    expect(stdout).toMatch(/margin -?\d+\.\d\d% {2}earns .+ of .+; an order may cost .+ ₽/)
    expect(stderr).toContain('"12O" in unit cost (B')
    expect(third).toBeDefined()
  })

  it("makes no new table of one with values that cannot be read: what holds for all would stand in for them", async () => {
    const [, , ...rows] = shop.read(path).trim().split("\n")
    const first = rows.at(-1)!.split(";")[0]!
    const { code, stderr } = await shop.run("economics", "template", "--out", "costs.xlsx")
    expect([code, stderr]).toEqual([1, expect.stringContaining(`\n  item ${first}: unit cost`)])
    expect(stderr).toContain(`${path} has values that cannot be read`)
    expect(existsSync(join(shop.folder, "costs.xlsx"))).toBe(false)
    shop.write(path, shop.read(path).replace("12O", "120"))
  })

  it("tells items that stand by number and by code with other values; the number's row counts", async () => {
    const before = shop.read(path)
    const { items } = JSON.parse((await shop.run("economics", "template", "--json")).stdout) as {
      readonly items: ReadonlyArray<{ readonly itemId: number; readonly vendorCode: string }>
    }
    const [one, other] = items
    shop.write(
      path,
      `item;vendor code;unit cost;packaging\n${one!.itemId};;100;5\n;${one!.vendorCode};100,00;6\n${other!.itemId};;7;\n;${other!.vendorCode};7;1\n`
    )
    expect((await told()).namedTwice).toEqual([one!.itemId])
    expect((await shop.run("economics")).stdout).toContain(
      `1 item in two rows with other values, by number and by vendor code; the number's row counts: ${one!.itemId}`
    )
    shop.write(path, before)
    expect((await told()).namedTwice).toEqual([])
  })

  it("tells numbers and codes that no item of the account has, and whose a code is but for letters that look the same", async () => {
    const before = shop.read(path)
    const { items } = JSON.parse((await shop.run("economics", "template", "--json")).stdout) as {
      readonly items: ReadonlyArray<{ readonly itemId: number; readonly vendorCode: string }>
    }
    const [one, other] = items
    const alike = other!.vendorCode.toLowerCase().replace("a", "а")
    expect(alike).not.toBe(other!.vendorCode.toLowerCase())
    shop.write(
      path,
      `item;vendor code;unit cost\n${one!.itemId};;100\n;${one!.vendorCode.toUpperCase()};100\n;${alike};7\n999;;1\n;none-1;1\n`
    )
    expect((await told()).unmatched).toEqual([
      { key: alike, alike: other!.itemId },
      { key: 999 },
      { key: "none-1" }
    ])
    expect((await shop.run("economics")).stdout).toContain(
      `3 numbers or codes that no item of the account has; such rows count for nothing: "${alike}" (item ${other!.itemId} but for letters of another alphabet), 999, "none-1"`
    )
    shop.write(path, before)
    expect((await told()).unmatched).toEqual([])
  })

  it("shows what ads cost that sold nothing: minus infinite, and never a crash", async () => {
    const [config, before] = [shop.read("bidhelm.yaml"), shop.read(path)]
    const proxy = await withoutOrders()
    shop.write("bidhelm.yaml", config.replace(/^( *analytics: ).*$/m, `$1${proxy.url}`))
    shop.write(path, before.replace("комментарий", "buyout, %").replace("доходы;0;", "доходы;0;80"))
    const { code, stderr, stdout } = await shop.run("economics")
    const { earnings } = await told()
    proxy.close()
    shop.write("bidhelm.yaml", config)
    shop.write(path, before)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("bug")])
    expect(stdout).toMatch(
      / {2}margin minus infinite {2}earns minus infinite of [\d .]+ ₽; an order may cost /
    )
    expect(earnings[0]!.values).toMatchObject({ margin: "-infinite", profit: "-infinite" })
    const endless = earnings.findIndex(({ values }) => values.margin !== "-infinite")
    expect(earnings.slice(endless).every(({ values }) => typeof values.margin === "number")).toBe(true)
  })

  it("names a file beside the table that is there: a second one in its folder would be refused", async () => {
    const was = shop.read(path)
    shop.write(path, "item;unit cost\n200000001;420\n")
    const { stderr } = await shop.run("economics")
    const [, out = ""] =
      /template --out (\S+)\. It has what rules\/_shared\/economics\.csv/.exec(stderr) ?? []
    expect(out).toMatch(/\.csv$/)
    expect((await shop.run("economics", "template", "--out", out)).code).toBe(0)
    expect((await shop.run("check")).stdout).not.toContain("K18")
    renameSync(join(shop.folder, out), join(shop.folder, path))
    expect((await told()).terms.find(({ term }) => term === "unit_cost")?.known).toBe(1)
    shop.write(path, was)
  })

  it("fills in what the table says today, as a workbook that says the same again", async () => {
    const before = await told()
    const made = await shop.run("economics", "template", "--out", "costs.xlsx")
    expect(made.stderr).not.toContain("valid from")
    rmSync(join(shop.folder, path))
    renameSync(join(shop.folder, "costs.xlsx"), join(shop.folder, "rules/_shared/economics.xlsx"))
    const after = await told()
    expect([after.table, after.earnings]).toEqual(["rules/_shared/economics.xlsx", before.earnings])
  })

  it("names how many rows of a later day a new table has not", async () => {
    rmSync(join(shop.folder, "rules/_shared/economics.xlsx"))
    shop.write(
      path,
      "item;valid from;unit cost;packaging\n200000001;;420;10\n200000001;01.12.2095;445;11\n*;01.10.2095;;12\n200000001;01.08.2025;430;\n"
    )
    const made = await shop.run("economics", "template", "--out", "later.csv")
    expect([made.code, made.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^2 rows of rules\/_shared\/economics\.csv with a later day in valid from are not in it: it has what holds on \d{4}-\d\d-\d\d\. Copy them over\.$/m
      )
    ])
    expect(shop.read("later.csv")).toMatch(/^200000001;.*;430,00;10,00;/m)
    const { laterRows } = JSON.parse((await shop.run("economics", "template", "--json")).stdout) as {
      readonly laterRows: number
    }
    expect(laterRows).toBe(2)
  })
})
