/** The program with its store on PostgreSQL. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Postgres from "../store/Postgres.js"
import * as Bundle from "./Bundle.js"
import { Shop } from "./Shop.js"

let shop: Shop
let url: string

afterAll(Postgres.end)
beforeAll(() => void Bundle.program(), Bundle.withinMs)

beforeEach(async () => {
  url = await (await Postgres.shared()).fresh()
  shop = await Shop.open({ speed: 600 })
  shop.write("secret", `${Postgres.password}\n`)
})
afterEach(() => shop.close())

const config = (store: string) => {
  const own = shop.read("bidhelm.yaml").replace(/^store:.*\n/m, "")
  shop.write("bidhelm.yaml", `${own}${store}`)
}

describe("a store on PostgreSQL", () => {
  it("serves doctor, plan, apply and history; nothing is left in a file", async () => {
    config(`store: ${url}\nstore_password: {file: secret}\n`)
    chmodSync(join(shop.folder, "secret"), 0o600)
    const doctor = await shop.run("doctor")
    expect(doctor.stdout).toContain(url)
    // The sandbox's clock is weeks away from the database's; machines are compared by their own.
    expect(doctor).toMatchObject({ code: 0, stdout: expect.not.stringContaining("clock is") })
    const applied = await shop.run("apply", "--yes", "--json")
    expect(applied.stderr).not.toMatch(/could not/)
    const history = await shop.run("history", "--json")
    expect(JSON.parse(history.stdout).runs).toHaveLength(1)
    expect(existsSync(join(shop.folder, ".bidhelm", "bidhelm.sqlite"))).toBe(false)
  })

  it("is warned of by doctor and by apply where this machine cannot note what it knows", async () => {
    config(`store: ${url}\nstore_password: {file: secret}\n`)
    chmodSync(join(shop.folder, "secret"), 0o600)
    mkdirSync(join(shop.folder, ".bidhelm", "bidhelm.sqlite.serial"), { recursive: true })
    const { code, stdout } = await shop.run("doctor")
    expect([code, stdout]).toEqual([1, expect.stringMatching(/could not note in .*\.serial.*rolled back/)])
    const applied = await shop.run("apply", "--yes")
    expect(applied.stderr).toMatch(/could not note in .*\.serial.*rolled back/)
  })

  it("is not opened with a password that others can read, or a wrong one; doctor says what to do", async () => {
    config(`store: ${url}\nstore_password: {file: secret}\n`)
    chmodSync(join(shop.folder, "secret"), 0o644)
    const open = await shop.run("doctor")
    expect(open.stdout + open.stderr).toMatch(/run chmod 600/)
    chmodSync(join(shop.folder, "secret"), 0o600)
    shop.write("secret", "wrong")
    const wrong = await shop.run("doctor")
    expect(wrong.stdout + wrong.stderr).toMatch(/PostgreSQL refused the user or the password/)
    expect(wrong.code).not.toBe(0)
  })
})

describe("the program's start", () => {
  it("does not load PostgreSQL's driver before a configuration asks for it", () => {
    const program = Bundle.program()
    const bundle = dirname(program)
    const seen = new Set<string>()
    const follow = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, "utf8")
      for (const [, to] of text.matchAll(/(?:from|import)\s*"(\.[^"]+)"/g))
        follow(join(dirname(file), to ?? ""))
    }
    follow(program)
    const sqlite = readdirSync(join(bundle, "chunks")).filter((name) =>
      /^(Plan|Apply|History|Store)-/.test(name)
    )
    for (const chunk of sqlite) follow(join(bundle, "chunks", chunk))
    expect([...seen].filter((file) => readFileSync(file, "utf8").includes("SASL: SCRAM"))).toEqual([])
    expect(seen.size).toBeGreaterThan(1)
  })
})
