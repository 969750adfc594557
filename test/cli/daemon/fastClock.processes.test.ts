/** `bidhelm run` beside a sandbox whose clock runs so fast that half a minute of it is a tenth of a second. */
import { expect, it } from "vitest"
import { until } from "../../faults/Waiting.js"
import { Daemon, often } from "../Daemon.js"
import * as Shop from "../Shop.js"

it("keeps its lock at --speed 300 and brings its changes to the marketplace", async () => {
  const shop = await Shop.Shop.open({ speed: 300 })
  often(shop, "01-raise-to-reach-max", "apply")
  often(shop, "02-minus-low-ctr", "apply")
  often(shop, "03-daily-budget-stop", "apply")
  const daemon = new Daemon(shop.start("run"))
  try {
    await daemon.until(/: applied/)
    await until(() => daemon.said.split("main: ").length > 5)
    const { code } = await daemon.stop()
    expect(code).toBe(0)
    expect(daemon.said).not.toMatch(/lock was lost/)
    const operations = new Set((await shop.ledger()).entries.map(({ operation }) => operation))
    expect([...operations]).toContain("pauseCampaign")
    expect([...operations]).toContain("setClusterBidsMinorUnits")
  } finally {
    daemon.child.kill("SIGKILL")
    await daemon.end
    await shop.close()
  }
}, 120_000)
