/** `bidhelm restore` of files that carry a right checksum and are no backup: one message, little memory, nothing left. */
import { createHash } from "node:crypto"
import { closeSync, openSync, readdirSync, writeSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as PeakMemory from "../PeakMemory.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
let memory: PeakMemory.PeakMemory
beforeAll(async () => {
  shop = await Shop.Shop.open()
  memory = PeakMemory.watch()
  shop.environment = memory.environment
  expect(await shop.run("plan")).toMatchObject({ code: 0 })
})
afterAll(async () => {
  memory.remove()
  await shop.close()
})

const header = JSON.stringify({
  format: "bidhelm-backup",
  version: 1,
  createdAt: "2026-09-01T12:00:00.000Z",
  database: "sqlite",
  schema: Migrations.versions,
  heads: []
})

/** Members one behind the other are one archive. */
const write = (name: string, members: ReadonlyArray<Uint8Array>): void => {
  const file = openSync(join(shop.folder, name), "w")
  const hash = createHash("sha256")
  for (const member of members) {
    writeSync(file, member)
    hash.update(member)
  }
  closeSync(file)
  shop.write(`${name}.sha256`, `${hash.digest("hex")}  ${name}\n`)
}

const refused = async (name: string, why: string): Promise<void> => {
  // Whoever lets go of the store last takes what SQLite writes beside it into the file.
  const files = () => readdirSync(join(shop.folder, ".bidhelm")).filter((one) => !/-(wal|shm)$/.test(one))
  const before = files()
  const { code, stderr, stdout } = await shop.run("restore", name)
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `bidhelm: could not use the backup ${name}: ${why}; nothing was changed, use another backup\n`
  })
  expect(files()).toEqual(before)
  expect(memory.mebibytes()).toBeLessThan(260)
}

it("refuses 1.5 GB of zeros in 6.9 MB", async () => {
  const zeros = gzipSync(Buffer.alloc(100_000_000), { level: 1 })
  const members = [gzipSync(`${header}\n`), ...Array.from({ length: 15 }, () => zeros)]
  write("bomb.gz", members)
  expect(members.reduce((size, one) => size + one.length, 0)).toBeLessThan(7_500_000)
  await refused("bomb.gz", "it unpacks to more than 100 times its size, as no backup does")
})

it("refuses rows that do not fit their table, and leaves nothing behind", async () => {
  const table = `${JSON.stringify({ table: "runs", columns: ["id"] })}\n`
  const rows = gzipSync(Buffer.alloc(100_000_000, "[]\n"), { level: 9 })
  write("rows.gz", [gzipSync(`${header}\n${table}`), rows])
  const { code, stderr } = await shop.run("restore", "rows.gz")
  expect([code, stderr]).toEqual([1, expect.stringContaining("restore the backup")])
  expect(readdirSync(join(shop.folder, ".bidhelm")).filter((name) => name.includes("restoring"))).toEqual([])
})

it.each([
  ["deep.gz", `${header}\n${"[".repeat(1_000_000)}\n`, "a line of it is nested more than 64 levels deep"],
  ["half.gz", `${header}\n{"table":`, "a line of it is not JSON, or only the beginning of it"],
  ["null.gz", `${header}\nnull\n`, "it has a line that no backup has"],
  ["row.gz", `${header}\n[1]\n`, "it has a row of no table"],
  [
    "table.gz",
    `${header}\n{"table":"sqlite_master","columns":["name"]}\n`,
    "it has a table that no store has: sqlite_master"
  ],
  [
    "head.gz",
    `{"format":"bidhelm-backup","version":1}\n`,
    "it is no backup of bidhelm, or one of a newer version"
  ],
  ["early.gz", `${header}\n`, "it ends early"]
])("refuses %s and leaves the store as it is", async (name, text, why) => {
  write(name, [gzipSync(text)])
  await refused(name, why)
})

it("can be followed by work on the store that was there", async () => {
  expect(await shop.run("history", "--verify")).toMatchObject({ code: 0 })
  expect(await shop.run("plan")).toMatchObject({ code: 0 })
})

it.each([
  [
    99,
    /^bidhelm: could not use the backup other\.gz: it was written by a newer bidhelm \(store version 99, .*\); nothing was changed; update bidhelm and restore it again\n$/
  ],
  [
    18,
    /^bidhelm: could not use the backup other\.gz: it was written by a bidhelm from before the first release \(store version 18, .*\); nothing was changed; restore it with the program that wrote it, or use another backup\n$/
  ]
])(
  "says of a backup of version %i whose it is, and not that the store be moved away",
  async (version, says) => {
    write("other.gz", [
      gzipSync(`${header.replace(/"schema":\[[^\]]*\]/, `"schema":[${version}]`)}\n{"end":true,"rows":0}\n`)
    ])
    const { code, stderr, stdout } = await shop.run("restore", "other.gz")
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)])
  }
)
