/** `bidhelm doctor` where the store cannot be opened, and what it says of the account's currency. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

interface Finding {
  readonly check: string
  readonly well: boolean
  readonly says: string
  readonly todo?: string
}

const doctor = async () => {
  const { code, stdout } = await shop.run("doctor", "--json")
  const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<Finding> }
  return {
    code,
    bad: checks.filter(({ well }) => !well),
    find: (check: string) => checks.find((finding) => finding.check === check)
  }
}

const storeAt = (place: string) =>
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^store:.*$/m, `store: sqlite:${place}`))

describe("a store that cannot be opened", () => {
  it.each([
    ["where the system makes no files", "/proc/x", /be able to make and write files in \/proc,/],
    ["where the system makes no folders", "/proc/x/y/bidhelm.sqlite", /write files in \/proc\/x\/y,/],
    ["below a file", "bidhelm.yaml/bidhelm.sqlite", /name another place: store: sqlite:PATH/],
    [
      "that is a folder",
      "rules/",
      /rules\/? is a folder: name a file in it, as in store: sqlite:\S*rules\/bidhelm\.sqlite/
    ]
  ])("%s is one finding with its remedy", async (_, place, todo) => {
    storeAt(place)
    const { bad, code } = await doctor()
    expect(code).toBe(1)
    expect(bad).toEqual([
      {
        check: "store",
        well: false,
        says: expect.stringContaining("were not looked at"),
        todo: expect.stringMatching(todo)
      }
    ])
  })

  it("is said of one that is damaged once, too", async () => {
    mkdirSync(join(shop.folder, ".bidhelm"), { recursive: true })
    writeFileSync(join(shop.folder, ".bidhelm", "bidhelm.sqlite"), "no database at all ".repeat(300))
    const { bad } = await doctor()
    expect(bad).toMatchObject([
      {
        check: "store",
        says: expect.stringContaining("restore a backup"),
        todo: "mend what it says and ask again"
      }
    ])
  })

  it("is said of another version's without blaming rights and disk", async () => {
    await shop.run("history")
    const store = new DatabaseSync(join(shop.folder, ".bidhelm", "bidhelm.sqlite"))
    store.exec("INSERT INTO schema_version (version, name, applied_at) VALUES (9999, 'later', 0)")
    store.close()
    const { bad } = await doctor()
    expect(bad).toMatchObject([
      {
        check: "store",
        says: expect.stringContaining("written by a newer bidhelm"),
        todo: "mend what it says and ask again"
      }
    ])
  })
})

describe("the account's currency", () => {
  it("is asked with one call while nothing is known, and taken from the last plan that was applied later", async () => {
    const help = (await shop.run("doctor", "--help")).stdout.replace(/\s+/g, " ")
    expect(help).toContain("but for one call each time while no applied plan tells the account's currency")
    expect((await doctor()).find("currency of main")).toMatchObject({ well: true, says: "RUB" })
    await shop.run("apply", "--yes")
    expect((await doctor()).find("currency of main")).toMatchObject({
      well: true,
      says: "RUB, as in the last plan that was applied"
    })
  })

  it("is a problem that names both when the configuration says another one", async () => {
    await shop.control("faults", { faults: [{ kind: "currency" }] })
    const { bad, code } = await doctor()
    expect(code).toBe(1)
    expect(bad).toEqual([
      {
        check: "currency of main",
        well: false,
        says: "the account is in KZT, the configuration says RUB: plans are refused",
        todo: expect.stringContaining("check every amount in the rules")
      }
    ])
    await shop.control("faults", { faults: [] })
  })

  it("is found although the last plan was of the currency that the configuration said before", async () => {
    await shop.run("apply", "--yes")
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^currency:.*$/m, "currency: KZT"))
    expect((await doctor()).find("currency of main")).toMatchObject({
      well: false,
      says: "the account is in RUB, the configuration says KZT: plans are refused"
    })
  })

  it("is said not to be checked, with the reason, where the token may not ask", async () => {
    await shop.control("faults", { faults: [{ kind: "refuse", status: 403 }] })
    const { code, find } = await doctor()
    expect(code).toBe(0)
    expect((await shop.run("doctor")).stdout).toMatch(/^unknown {2}currency of main +not checked: /m)
    expect(find("currency of main")).toMatchObject({
      well: true,
      isUnknown: true,
      says: expect.stringMatching(/^not checked: getPromotionConfig: .*; every plan looks/)
    })
    // Nothing that a plan needs was refused.
    expect((await doctor()).bad).toEqual([])
    await shop.control("faults", { faults: [] })
  })
})

describe("a file of SQLite's that notes where the store ends, and cannot be replaced", () => {
  const serial = ".bidhelm/bidhelm.sqlite.serial"
  const inTheWay = () => mkdirSync(join(shop.folder, serial), { recursive: true })

  it("is a finding: nobody would notice a store that went back", async () => {
    inTheWay()
    expect((await doctor()).find("store")).toMatchObject({
      well: false,
      says: expect.stringMatching(/could not note in .*\.serial.*rolled back/)
    })
  })

  it("is told by reconcile, which lifts what it has read back all the same", async () => {
    shop.write(
      serial,
      JSON.stringify({ heads: [{ account: "main", seq: 9_999, hash: "ff", reconciled: 0 }] })
    )
    await shop.run("plan")
    rmSync(join(shop.folder, serial))
    inTheWay()
    const { code, stderr } = await shop.run("reconcile")
    expect([code, stderr]).toEqual([0, expect.stringMatching(/could not note in .*\.serial.*rolled back/)])
    expect(stderr).toContain("main may be written to again")
    expect((await shop.run("reconcile")).stdout).toContain("Nothing to do")
  })
})
