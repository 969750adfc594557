/** What a running program carries out for a command while the file of limits is gone: nothing. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Daemon, often, ranCycle } from "../Daemon.js"
import * as Shop from "../Shop.js"

it("a running program sends nothing for apply while the limits that it holds to are not in the folder any more", async () => {
  const shop = await Shop.Shop.open()
  for (const id of ["02-minus-low-ctr", "03-daily-budget-stop"]) often(shop, id, "disabled")
  // Nothing is due, so no plan of its own has told the store of the limits.
  shop.write(
    "rules/01-raise-to-reach-max.yaml",
    shop.read("rules/01-raise-to-reach-max.yaml").replace(/^schedule: .*$/m, "schedule: {every: 24h}")
  )
  const daemon = new Daemon(shop.start("run"))
  try {
    await daemon.until(/bidhelm status tells more/)
    rmSync(join(shop.folder, "rules/_shared/limits.yaml"))
    const refused = await shop.run("apply", "--yes")
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("limits of the account stood in ")
    })
    expect((await shop.ledger()).entries).toEqual([])
    expect(daemon.said).not.toMatch(ranCycle)
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {}\n")
    await shop.run("apply", "--yes")
    expect((await shop.ledger()).entries.length).toBeGreaterThan(0)
  } finally {
    expect((await daemon.stop()).code).toBe(0)
    await shop.close()
  }
})
