import { createHash } from "node:crypto"
import { createContext, runInContext } from "node:vm"
import { describe, expect, it } from "vitest"
import * as HtmlPreview from "../../src/reporting/preview/HtmlPreview.js"
import { bigPlan } from "./bigPlan.js"
import { ordersPlan } from "./ordersPlan.js"
import * as SmallPage from "./SmallPage.js"
import { samplePlan } from "./samplePlan.js"

/** The page after its script ran, as a person works with it. */
const opened = (html: string) => {
  const document = SmallPage.read(html)
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ""
  runInContext(script, createContext({ document }))
  const table = document.getElementById("changes")!
  const lines = () => table.tBodies[0]!.rows
  const column = (at: number) => lines().map((line) => line.cells[at]?.textContent.trim())
  const control = (label: string) =>
    document.all().find(({ attributes }) => attributes["aria-label"] === label)!
  const choose = (label: string, value: string, event: string) => {
    control(label).value = value
    control(label).fire(event)
  }
  const head = (title: string) => table.all("button").find((one) => one.textContent === title)!
  const counted = () => document.all("span")[0]!.textContent
  return { choose, column, counted, document, head, lines, table }
}

describe("the page of a plan", () => {
  it("runs its own script and style and nothing else, by their hashes", () => {
    const html = HtmlPreview.render(samplePlan)
    for (const [tag, directive] of [
      ["script", "script-src"],
      ["style", "style-src"]
    ] as const) {
      const content = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? ""
      const hash = createHash("sha256").update(content).digest("base64")
      expect(html).toContain(`${directive} 'sha256-${hash}'`)
    }
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/unsafe-|https?:|\b(src|href|on\w+|style)=/)
  })

  it("lets no name become markup, in the page or by its script", () => {
    const { column, document } = opened(HtmlPreview.render(samplePlan))
    expect(column(3)).toContain("кеды <script>alert(1)</script>")
    expect(document.all("script")).toEqual([])
  })

  it("filters by words, rule and kind, and says how many are left", () => {
    const { choose, column, counted } = opened(HtmlPreview.render(samplePlan))
    choose("Words in a change", "кеды мужские", "input")
    expect([column(3), counted()]).toEqual([["кеды | мужские"], "1 of 4 changes"])
    choose("Words in a change", "", "input")
    choose("All rules", "01-raise-to-reach-max", "change")
    expect(counted()).toBe("2 of 4 changes")
    choose("All kinds", "pause", "change")
    expect(counted()).toBe("0 of 4 changes")
  })

  it("sorts by money and by how far a bid moves", () => {
    const { column, head } = opened(HtmlPreview.render(samplePlan))
    head("money a day").fire("click")
    expect(column(5)).toEqual(["-3 000 ₽", "-50 ₽", "no estimate", "+12.34 ₽"])
    head("money a day").fire("click")
    expect(column(5)[0]).toBe("+12.34 ₽")
    head("change").fire("click")
    expect(column(4).at(-1)).toBe("bid 440 → 450 ₽ per 1000 views (+2.3%)")
  })

  it("groups and folds, and tells all of a change where a person asks", () => {
    const { choose, column, lines } = opened(HtmlPreview.render(samplePlan))
    choose("No groups", "campaign", "change")
    expect(column(0)).toEqual(["▾ 777 Кеды осень (3)", "~", "~", "-", "▾ 778 Куртки (1)", "-"])
    lines()[0]!.fire("click")
    expect(column(0)).toEqual(["▸ 777 Кеды осень (3)", "▾ 778 Куртки (1)", "-"])
    lines()[0]!.fire("keydown", { key: "Enter" })
    lines()[1]!.fire("click")
    expect(
      lines()[2]!
        .all("div")
        .map((one) => one.textContent)
    ).toEqual([
      "777 Кеды осень",
      "01-raise-to-reach-max, line 16: raise_bid",
      "orders >= 3: 5",
      "cpo < 120 ₽: 80 ₽",
      "bid < recommended.reach_max: 440 ₽ < 800 ₽",
      "cap: 484 → 450 ₽ (line 16)"
    ])
    lines()[1]!.fire("click")
    expect(lines()[2]!.className).toBe("")
  })

  it("groups orders by what they are about, by that name", () => {
    const { choose, column, document } = opened(HtmlPreview.render(ordersPlan))
    const offered = document.all("option").map((one) => one.textContent)
    expect(offered.slice(offered.indexOf("No groups") + 1)).toEqual([
      "order or pass or supply",
      "rule",
      "kind"
    ])
    choose("No groups", "order or pass or supply", "change")
    expect(column(0)).toContain("▾ 4101000001 (1)")
  })

  it("has 10,000 changes in less than 4 MB, puts 500 on the page at once and the others where asked", () => {
    const html = HtmlPreview.render(bigPlan(10_000))
    expect(Buffer.byteLength(html)).toBeLessThan(4_000_000)
    const { column, counted, document, lines } = opened(html)
    expect([lines().length, counted()]).toEqual([500, "10000 of 10000 changes"])
    expect(column(5)[0]).toMatch(/^-/)
    document
      .all("button")
      .find((one) => one.textContent === "Show the other 9500")!
      .fire("click")
    expect(lines()).toHaveLength(10_000)
  }, 60_000)
})
