/** A marketer's way into a promotion: a rule, what it would enrol, a person's yes, and the marketplace's own ledger. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Workbook from "../../../src/cli/tables/Workbook.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.Shop.open({})
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
})
afterEach(() => shop.close())

const rule = (mode: string, drop = "20%") =>
  shop.write(
    "rules/09-join.yaml",
    `version: 1
name: Join promotions at a small fall of the price
mode: ${mode}
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
when: price_drop <= ${drop}
do: {enrol: {overlap: allowed}}
`
  )

interface Planned {
  readonly changes: ReadonlyArray<{
    readonly subject: { readonly promotionId: number; readonly itemId: number }
  }>
}

const planned = async (): Promise<Planned> =>
  JSON.parse((await shop.run("plan", "--lane", "promotions", "--json")).stdout) as Planned

interface Entry {
  readonly operation: string
  /** The items of a filed task. */
  readonly task?: { readonly asked: ReadonlyArray<number> }
}

const filed = async () => {
  const { entries } = (await shop.ledger()) as { readonly entries: ReadonlyArray<Entry> }
  return entries.filter(({ operation }) => operation === "uploadPromotionItems")
}

/** Every item costs nothing and is kept: joining costs what its price falls. */
const free = `item;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;buyout, %
*;0;0;0;0;0;0;0;0;0;revenue;0;100
`

/** A workbook that says of every item that it has a floor of one, and shows the amount in this format. */
const floorOfOne = (format: string): Uint8Array => {
  const made = Workbook.write([
    {
      name: "a",
      columns: [
        { title: "item", holds: "text", width: 9 },
        { title: "price floor", holds: "money", width: 9 }
      ],
      rows: [["*", 100]]
    }
  ])
  const files = unzipSync(made)
  const styles = strFromU8(files["xl/styles.xml"]!)
    .replace("<fonts", `<numFmts count="1"><numFmt numFmtId="164" formatCode="${format}"/></numFmts><fonts`)
    .replace('<xf numFmtId="4"', '<xf numFmtId="164"')
  return zipSync({ ...files, "xl/styles.xml": strToU8(styles) })
}

describe("joining promotions by the command line", () => {
  it("files nothing by a price floor that a workbook shows in another currency, and says so", async () => {
    rule("apply\nirreversible: accepted")
    const floor = (format: string) =>
      writeFileSync(join(shop.folder, "rules/_shared/economics.xlsx"), floorOfOne(format))
    for (const [format, shown] of [
      ["#,##0.00\\ [$Br-423]", "1 Br BY"],
      ["#,##0\\ [$сўм-843]", "1 сўм"],
      ["0.0,,\\ &quot;M&quot;", "1 M, shown in millions"],
      ["0&quot;%&quot;", "1 %"]
    ] as const) {
      floor(format)
      const { stderr, stdout } = await shop.run("check")
      expect(stdout + stderr).toContain(`"${shown}" in price floor (B2) is not an amount of money`)
      expect((await planned()).changes).toEqual([])
      await shop.run("apply", "--lane", "promotions", "--yes")
    }
    expect(await filed()).toEqual([])
    floor("#,##0.00\\ [$₽-419]")
    expect((await planned()).changes.length).toBeGreaterThan(0)
  })

  it("shows the promotion, both prices and that there is no way back; files what a person approved, once", async () => {
    rule("approve")
    const shown = await shop.run("plan", "--lane", "promotions")
    expect(shown.stderr).not.toContain("defect")
    expect(shown.stdout).toMatch(/Promotion 10\d\d /)
    expect(shown.stdout).toMatch(/joins ".+" at .+ ₽, now .+ ₽/)
    expect(shown.stdout).toContain("no operation takes an item out of a promotion")
    const { changes } = await planned()
    expect(changes.length).toBeGreaterThan(0)

    const asked = await shop.run("apply", "--lane", "promotions", "--yes")
    expect(await filed()).toEqual([])
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    const done = await shop.run("approve", id!)
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)])
    const promotions = new Set(changes.map(({ subject }) => subject.promotionId))
    expect((await filed()).length).toBe(promotions.size)

    const [, runId] = /^(\S+): (?:done|partial)/m.exec(done.stdout) ?? []
    const undone = await shop.run("undo", runId!, "--yes")
    expect(undone.stdout + undone.stderr).toContain("no operation takes an item out of a promotion")

    const again = await shop.run("apply", "--lane", "promotions", "--yes")
    expect(again.stdout).toContain("Nothing to apply.")
    expect((await filed()).length).toBe(promotions.size)
    expect((await shop.ledger()).breaches).toBe(0)
  })

  it("begins with the calendar: what is ahead, who takes part, and what the next boost asks for", async () => {
    const shown = await shop.run("promos")
    expect([shown.code, shown.stdout.split("\n").length > 3]).toEqual([0, true])
    expect(shown.stdout).toMatch(
      /1005 {2}2026-\d\d-\d\d to 2026-\d\d-\d\d, starts in 3 days {2}regular {2}\d+ of \d+ items, boost \d+%; \d+ more items? reach(?:es)? \d+%/
    )
    expect(shown.stdout).toContain("auto (the marketplace fills it)")
    expect(shown.stderr).toMatch(
      /\d automatic promotions: .* cannot be read, and no rule can join or leave them/
    )
    const { promotions } = JSON.parse((await shop.run("promos", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{ readonly id: number; readonly type: string }>
    }
    expect(promotions.map(({ id }) => id)).toEqual(promotions.map(({ id }) => id).toSorted((a, b) => a - b))
  })

  it("chooses the cheapest set that reaches a tier, says what it costs and why others stay, and asks for it as a whole", async () => {
    shop.write("rules/_shared/economics.csv", free)
    shop.write(
      "rules/10-tier.yaml",
      `version: 1
name: Reach the next tier
mode: approve
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
when: price_drop <= 60%
do:
  enrol: {reach_tier: next, overlap: allowed}
`
    )
    const shown = await shop.run("plan", "--lane", "promotions")
    expect(shown.stderr).not.toContain("defect")
    expect(shown.stdout).toContain("Sets that reach a tier")
    expect(shown.stdout).toMatch(
      /10-tier: promotion 10\d\d .+: boost \d+% now, \d+% with \d+ more items?; the cheapest \d+ of \d+ items: costs .+ ₽ a day, \d+ stays?/
    )
    expect(shown.stdout).toMatch(/not among the cheapest [\d…]+: it would cost .+ ₽ a day/)
    const asked = await shop.run("apply", "--lane", "promotions", "--yes")
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    const { changes } = JSON.parse((await shop.run("plan", "--lane", "promotions", "--json")).stdout) as {
      readonly changes: ReadonlyArray<{
        readonly id: string
        readonly subject: { readonly promotionId: number; readonly itemId: number }
        readonly details: { readonly set: { readonly items: number } }
      }>
    }
    const several = changes.find(({ details }) => details.set.items > 1)
    if (several !== undefined) {
      const part = await shop.run("approve", id!, "--only", several.id)
      expect([part.code, part.stderr]).toEqual([1, expect.stringContaining("goes whole or not at all")])
      expect(await filed()).toEqual([])
    }
    const waits = (await shop.run("approvals", id!)).stdout
    expect(waits).toMatch(
      /^Set that goes whole or not at all: 10-tier: promotion 10\d\d .+: boost \d+% now, \d+% with \d+ more items?; .*costs .+ ₽ a day/m
    )
    const explained = await shop.run("explain", `item/${changes[0]!.subject.itemId}`)
    expect(explained.stdout).toContain("(mode approve: a person is asked)")
    expect(explained.stdout).not.toContain("auto_approve")
    const done = await shop.run("approve", id!)
    expect(done.code).toBe(0)
    expect(done.stderr).toMatch(
      /changes? (is|are) filed\. The marketplace works (it|them) off now; .* is looked at in about \d+ minutes?\. /
    )
    expect((await filed()).length).toBe(new Set(changes.map(({ subject }) => subject.promotionId)).size)
  })

  it("holds the floors of today against what waited for a yes, and against a saved plan", async () => {
    rule("approve", "60%")
    const floors = (...rows: ReadonlyArray<string>) =>
      shop.write("rules/_shared/economics.csv", ["item;vendor code;price floor", ...rows, ""].join("\n"))
    floors("1;;1")
    const asked = await shop.run("apply", "--lane", "promotions", "--yes")
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    const { changes } = await planned()
    const items = [...new Set(changes.map(({ subject }) => subject.itemId))].sort((a, b) => a - b)
    expect(items.length).toBeGreaterThan(3)
    const [raised, unread, coded] = items
    const { items: known } = JSON.parse((await shop.run("economics", "template", "--json")).stdout) as {
      readonly items: ReadonlyArray<{ readonly itemId: number; readonly vendorCode: string }>
    }
    const code = known.find(({ itemId }) => itemId === coded)?.vendorCode
    floors(`${raised};;90000`, `${unread};;990 ¥`, `;${code};90000`)

    const done = await shop.run("approve", id!)
    const told = done.stdout + done.stderr
    expect(told).toMatch(
      /left out: .* price floor 90.000.₽ of the economics table \(the plan price .+ below it\)/
    )
    expect(told).toMatch(/left out: .* price floor of the economics table \(the item's is not known/)
    const sent = () => filed().then((all) => all.flatMap(({ task }) => task?.asked ?? []))
    const left = items.filter((one) => ![raised, unread, coded].includes(one))
    expect([...new Set(await sent())].sort((a, b) => a - b)).toEqual(left)

    floors("1;;1")
    rule("apply\nirreversible: accepted", "60%")
    await shop.run("plan", "--lane", "promotions", "--out", "plan.json")
    floors("*;;90000")
    const before = await sent()
    const applied = await shop.run("apply", "plan.json", "--yes")
    expect([applied.code, applied.stdout, applied.stderr]).toEqual([
      1,
      "Nothing to apply.\n",
      expect.stringMatching(/^left out: .* price floor 90.000.₽ of the economics table/m)
    ])
    expect(await sent()).toEqual(before)
  })

  it("files nothing by costs that were edited since the plan, whether it waited for a yes or was saved, and names both", async () => {
    const margin = (mode: string) => {
      rule(mode, "60%")
      const text = shop.read("rules/09-join.yaml")
      shop.write("rules/09-join.yaml", text.replace(/^when: .*$/m, "when: margin_at_plan_price >= 1%"))
    }
    const costs = (...rows: ReadonlyArray<string>) =>
      shop.write(
        "rules/_shared/economics.csv",
        [free.trim().replace("item;", "item;valid from;").replace("*;", "*;;"), ...rows, ""].join("\n")
      )
    const sent = () =>
      filed().then((all) => [...new Set(all.flatMap(({ task }) => task?.asked ?? []))].sort())
    margin("approve")
    costs()
    const asked = await shop.run("apply", "--lane", "promotions", "--yes")
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    const items = [...new Set((await planned()).changes.map(({ subject }) => subject.itemId))].sort()
    const [dearer, unread, later, over, ...others] = items
    expect(others.length).toBeGreaterThan(0)
    // Promotions begin from the third day on: what is dearer only before is none of their days' costs.
    costs(
      `${dearer};;90000;;;;;;;;;;;`,
      `${unread};;990 ¥;;;;;;;;;;;`,
      `${later};2026-09-04;12,50;;;;;;;;;;;`,
      `${over};2026-09-02;90000;;;;;;;;;;;`,
      `${over};2026-09-03;0;;;;;;;;;;;`
    )
    const done = await shop.run("approve", id!)
    const told = done.stdout + done.stderr
    for (const now of ["90.000 ₽", "not known", "12.50 ₽"])
      expect(told).toMatch(
        new RegExp(
          `left out: .* unit_cost of the economics table has changed since the plan \\(it was 0 ₽, and is ${now} now; a new plan counts with it\\)`
        )
      )
    expect(await sent()).toEqual([over, ...others].sort())

    costs()
    margin("apply\nirreversible: accepted")
    await shop.run("plan", "--lane", "promotions", "--out", "plan.json")
    rmSync(join(shop.folder, "rules/_shared/economics.csv"))
    const before = await sent()
    const applied = await shop.run("apply", "plan.json", "--yes")
    expect([applied.code, applied.stdout, applied.stderr]).toEqual([
      1,
      "Nothing to apply.\n",
      expect.stringMatching(/^left out: .* of the economics table has changed since the plan/m)
    ])
    expect(await sent()).toEqual(before)
  })

  it("goes on with a yes to a rule that asks for no costs, whatever is edited in the table", async () => {
    rule("approve", "60%")
    shop.write("rules/_shared/economics.csv", free)
    const asked = await shop.run("apply", "--lane", "promotions", "--yes")
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    shop.write("rules/_shared/economics.csv", free.replace("*;0;", "*;90000;"))
    const done = await shop.run("approve", id!)
    expect([done.code, done.stdout + done.stderr]).toEqual([0, expect.not.stringContaining("left out")])
    expect((await filed()).length).toBeGreaterThan(0)
  })

  it("files nothing at a loss that the table writes down for the promotion's own days", async () => {
    rule("apply\nirreversible: accepted", "60%")
    shop.write(
      "rules/09-join.yaml",
      shop.read("rules/09-join.yaml").replace(/^when: .*$/m, "when: margin_at_plan_price >= 1%")
    )
    const rows = free.trim()
    shop.write("rules/_shared/economics.csv", `${rows}\n`)
    const items = [...new Set((await planned()).changes.map(({ subject }) => subject.itemId))]
    const [later, over, ...others] = items
    expect(others.length).toBeGreaterThan(0)
    // Promotions begin from the third day on; nothing is dearer before, and of one item only for a day before they begin.
    shop.write(
      "rules/_shared/economics.csv",
      `${rows.replace("item;", "item;valid from;").replace("*;", "*;;")}\n${later};2026-09-04;90000;;;;;;;;;;;\n${over};2026-09-02;90000;;;;;;;;;;;\n${over};2026-09-03;0;;;;;;;;;;;\n`
    )
    await shop.run("apply", "--lane", "promotions", "--yes")
    const sent = new Set((await filed()).flatMap(({ task }) => task?.asked ?? []))
    expect([...sent].sort((a, b) => a - b)).toEqual([over!, ...others].sort((a, b) => a - b))
  })

  it("is no part of a plan of advertising", async () => {
    rule("apply\nirreversible: accepted")
    const ads = await shop.run("apply", "--yes")
    expect([ads.code, ads.stdout]).toEqual([0, expect.stringContaining("Nothing to apply.")])
    expect(await filed()).toEqual([])
  })
})
