/** The store's folder belongs to another user, and nobody else may look into it. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shop } from "../Shop.js"

const isRoot = process.getuid?.() === 0

let shop: Shop
let folder: string
beforeAll(async () => {
  shop = await Shop.open()
  folder = join(shop.folder, ".bidhelm")
  // Once as its owner: the program loads what it needs, and there is a store.
  for (const words of [["kill"], ["resume", "--kill"], ["status"], ["doctor"], ["backup", "first.gz"]])
    await shop.run(...words)
})
afterAll(() => shop.close())

/** A command of a user who may look into the account's folder and not into the store's. */
const asStranger = async (...words: ReadonlyArray<string>) => {
  chmodSync(shop.folder, 0o755)
  chmodSync(folder, isRoot ? 0o700 : 0)
  if (isRoot) process.seteuid?.(65_534)
  try {
    return await shop.run(...words)
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o700)
  }
}

describe.skipIf(process.platform === "win32")("a store in a folder that this user may not look into", () => {
  const why = () => `this user may not look into the folder ${folder}`

  it.each([["kill"], ["hold", "--account", "main"], ["holds"]])(
    "is told by %s in one sentence",
    async (...words) => {
      const { code, stderr } = await asStranger(...words)
      expect(code).toBe(1)
      expect(stderr).toContain(
        `could not open the store .bidhelm/bidhelm.sqlite: ${why()}; check owner and permissions`
      )
      expect(stderr).not.toContain("bug")
      expect(stderr.includes("Nothing was stopped. Without the store: the file")).toBe(words[0] !== "holds")
    }
  )

  it("is told by doctor as a problem among the other checks", async () => {
    const { code, stderr, stdout } = await asStranger("doctor")
    expect([code, stderr]).toEqual([1, ""])
    expect(stdout).toContain(why())
    expect(stdout).toContain("token of main")
  })

  it("is no store that is not there yet: backup says why there is none", async () => {
    const { code, stderr } = await asStranger("backup", "second.gz")
    expect([code, stderr]).toEqual([1, expect.stringContaining(`nothing was backed up: ${why()}`)])
  })

  it("hides whether bidhelm run works there: status speaks of no socket", async () => {
    const { code, stderr } = await asStranger("status")
    expect([code, stderr]).toEqual([1, expect.stringContaining(why())])
    expect(stderr).not.toContain("socket")
  })
})
