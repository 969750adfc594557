/** Price floors that are gone: whoever files would go below what the seller allowed until then. Judged by the sandbox's ledger. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop

beforeEach(async () => {
  // Filing is read back for long; a day has room for it.
  shop = await Shop.Shop.open({ speed: 900, originMs: Date.parse("2026-09-01T01:00:00+03:00") })
  const rules = join(shop.folder, "rules")
  for (const name of readdirSync(rules)) if (name.endsWith(".yaml")) rmSync(join(rules, name))
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  rule("apply\nirreversible: accepted")
})
afterEach(() => shop.close())

const rule = (mode: string) =>
  shop.write(
    "rules/09-join.yaml",
    `version: 1
name: Join promotions
mode: ${mode}
schedule: {every: 1h, tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
when: price_drop <= 60%
do: {enrol: {overlap: allowed}}
`
  )

const table = "rules/_shared/economics.csv"
const write = (...rows: ReadonlyArray<string>) => shop.write(table, [...rows, ""].join("\n"))
const floors = (floor = "90000") => write("item;price floor", `*;${floor}`)
const lose = () => rmSync(join(shop.folder, table))
const ofPromotions = ["--lane", "promotions"]

/** What was filed, by the marketplace. */
const filed = async () => {
  const { entries } = (await shop.ledger()) as {
    readonly entries: ReadonlyArray<{ readonly operation: string }>
  }
  return entries.filter(({ operation }) => operation === "uploadPromotionItems").length
}

const held = async () => {
  const { stdout } = await shop.run("plan", ...ofPromotions, "--json")
  const plan = JSON.parse(stdout) as {
    readonly changes: ReadonlyArray<unknown>
    readonly held: ReadonlyArray<{ readonly because: unknown; readonly by: string }>
  }
  return { changes: plan.changes.length, held: plan.held }
}

const gone =
  /price floors of the account stood in rules\/_shared\/economics\.csv until 2026-09-01, and no table has a column of them now.*put the table back; to do without, leave one whose column "price floor" is empty/s

describe("price floors that are gone", () => {
  it("hold every enrolment, in plan and apply, once a plan had some; an empty column does without", async () => {
    floors()
    expect(await held()).toEqual({ changes: 0, held: [] })
    for (const without of [lose, () => write("item;cost", "*;100")]) {
      without()
      expect((await shop.run("plan", ...ofPromotions)).stdout).toMatch(gone)
      const shown = await held()
      expect(shown.changes).toBe(0)
      expect(shown.held.length).toBeGreaterThan(3)
      for (const { because, by } of shown.held)
        expect([by, because]).toEqual([
          "price_floor",
          { code: "price_floors_gone", path: table, lastSeen: "2026-09-01" }
        ])
      expect((await shop.run("apply", ...ofPromotions, "--yes")).stdout).toContain("Nothing to apply.")
    }
    expect(await filed()).toBe(0)
    write("item;cost;price floor", "*;100;")
    const without = await held()
    expect(without).toMatchObject({ held: [] })
    expect(without.changes).toBeGreaterThan(3)
  })

  it("hold what waited for a yes, and a saved plan", async () => {
    floors("1")
    await shop.run("plan", ...ofPromotions, "--out", "plan.json")
    rule("approve")
    const asked = await shop.run("apply", ...ofPromotions, "--yes")
    const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
    write("item;cost", "*;100")
    const approved = await shop.run("approve", id!)
    expect(approved.stdout + approved.stderr).toMatch(gone)
    rule("apply\nirreversible: accepted")
    const applied = await shop.run("apply", "plan.json", "--yes")
    expect(applied.stdout + applied.stderr).toMatch(gone)
    expect(await filed()).toBe(0)
  })

  it("hold what a running program would file, also one that had nothing to do while they were there", async () => {
    floors("1")
    expect(await shop.run("run", "--once")).toMatchObject({ code: 0 })
    lose()
    await shop.advance(3_600_000)
    const { stderr, stdout } = await shop.run("run", "--once")
    expect(stdout + stderr).toMatch(/held by price_floor: .* limit="price floors of the account stood in /)
    expect(await filed()).toBe(0)
  }, 180_000)

  it("are a problem for doctor while a rule enrols, and keep a preview from promising a set", async () => {
    const costs = [
      "item;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;buyout, %",
      "*;0;0;0;0;0;0;0;0;0;revenue;0;100"
    ]
    write(`${costs[0]};price floor`, `${costs[1]};1`)
    const sets = async () => {
      const said = await shop.run("promos", "preview", "--json")
      const { promotions } = JSON.parse(said.stdout) as {
        readonly promotions: ReadonlyArray<{ readonly cheapestSet: unknown }>
      }
      return { ...said, sets: promotions.filter(({ cheapestSet }) => cheapestSet !== null).length }
    }
    expect((await sets()).sets).toBeGreaterThan(0)
    await shop.run("plan", ...ofPromotions)
    expect(await shop.run("doctor")).toMatchObject({ code: 0 })
    write(...costs)
    expect(await sets()).toMatchObject({ sets: 0, stderr: expect.stringMatching(gone) })
    const doctor = await shop.run("doctor")
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/price floors.*until 2026-09-01/)])
    rmSync(join(shop.folder, "rules/09-join.yaml"))
    expect((await shop.run("doctor")).stdout).not.toContain("until 2026-09-01")
  })
})

describe("price floors between commas, where nobody can tell which cell is whose", () => {
  const joined = async () => {
    const plan = await shop.run("apply", ...ofPromotions, "--yes")
    return { said: plan.stdout + plan.stderr, filed: await filed() }
  }

  it("file nothing where a title with a comma of its own was cut in two: check says where, and how to mend it", async () => {
    for (const head of ["item,commission, %,price floor", 'item,"name",unit cost,₽,price floor']) {
      write(head, head.includes("name") ? "*,x,300,90000" : "*,17%,90000")
      const check = await shop.run("check")
      expect([check.code, check.stdout + check.stderr]).toEqual([
        3,
        expect.stringMatching(
          /F01.*economics\.csv:1.*column [CD] .*a unit, and no name.*quotes around the whole name.*or ; between columns/s
        )
      ])
      expect(await joined()).toMatchObject({ filed: 0 })
    }
    write('item,"commission, %",price floor', "*,17%,90000")
    expect(await shop.run("check")).toMatchObject({ code: 0 })
    expect(await joined()).toMatchObject({ filed: 0 })
    write('item,"commission, %",price floor', "*,17%,1")
    expect((await joined()).filed).toBeGreaterThan(0)
  })

  it("file nothing where the rest of a cut title counts with a decimal comma to as many cells as there are names", async () => {
    write("item,cost, net of tax,price floor,storage", "*,300,90000,5,50")
    const check = await shop.run("check")
    expect([check.code, check.stdout + check.stderr]).toEqual([
      3,
      expect.stringMatching(
        /F01.*economics\.csv:1.*column C .*may be the rest of the name.*quotes around the whole name.*or ; between columns, or remove the space/s
      )
    ])
    expect(await joined()).toMatchObject({ filed: 0 })
    write('item,"cost, net of tax",price floor,storage', '*,300,1,"5,50"')
    expect((await joined()).filed).toBeGreaterThan(0)
  })

  it("file nothing by a row with fewer cells than the first line has names", async () => {
    write("item,cost,net of tax,price floor", "*,300,90000")
    const check = await shop.run("check")
    expect(check.stdout + check.stderr).toMatch(
      /F04.*The row has fewer cells than the first line has names.*put ; between columns/s
    )
    expect(await joined()).toMatchObject({ filed: 0 })
    write("item,cost,net of tax,price floor", "*,300,,1")
    expect((await joined()).filed).toBeGreaterThan(0)
  })
})

describe("rules that never had a price floor", () => {
  it("file as before when their table goes, also one whose column was empty", async () => {
    write("item;cost;price floor", "*;100;")
    expect((await held()).changes).toBeGreaterThan(0)
    lose()
    await shop.run("apply", ...ofPromotions, "--yes")
    expect(await filed()).toBeGreaterThan(0)
  })

  it("learn of none from a look at another folder", async () => {
    shop.write("trial/_shared/economics.csv", "item;price floor\n*;90000\n")
    shop.write("trial/a.yaml", shop.read("rules/09-join.yaml"))
    expect(await shop.run("plan", ...ofPromotions, "--rules", "trial")).toMatchObject({ code: 0 })
    await shop.run("apply", ...ofPromotions, "--yes")
    expect(await filed()).toBeGreaterThan(0)
  })
})
