/** Two real runners on PostgreSQL: one hangs, the other takes its account, and the first tells no old plan when it wakes. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeEach, expect, it } from "vitest"
import { freePort, until } from "../../faults/Waiting.js"
import * as Exposed from "../../observe/Exposed.js"
import * as Postgres from "../../store/Postgres.js"
import { Daemon, often, ranCycle } from "../Daemon.js"
import * as Shop from "../Shop.js"

afterAll(async () => {
  await Postgres.end()
})

let shop: Shop.Shop
let started: Array<Daemon>
beforeEach(async () => {
  started = []
  shop = await Shop.Shop.open()
  for (const id of ["01-raise-to-reach-max", "02-minus-low-ctr"]) often(shop, id, "preview")
  often(shop, "03-daily-budget-stop", "disabled")
  shop.write("password", Postgres.password)
  chmodSync(join(shop.folder, "password"), 0o600)
})
afterEach(async () => {
  for (const { child, end } of started) {
    child.kill("SIGKILL")
    await end
  }
  await shop.close()
})

/** A runner with a configuration and a folder for its lock of its own; answers it and its figures of plans. */
const runner = async (name: string, url: string) => {
  const http = await freePort()
  const own = `runner: {listen: "127.0.0.1:${await freePort()}", http: "127.0.0.1:${http}", shards: 10, lock_seconds: 6}`
  const store = `store: "${url}"\nstore_password: {file: password}\nmachine_folder: ${name}\n${own}\n`
  shop.write(`${name}.yaml`, shop.read("bidhelm.yaml").replace(/^store:.*$/m, "") + store)
  const daemon = new Daemon(shop.start("run", "--config", `${name}.yaml`))
  started.push(daemon)
  const planned = async () => {
    const page = await (await fetch(`http://127.0.0.1:${http}/metrics`)).text()
    return Exposed.parse(page).get("bidhelm_plan_changes")?.samples[0]?.value
  }
  return { daemon, planned }
}

it("the figures of an account are told by the runner that has it, and by no other", async () => {
  const url = await (await Postgres.shared()).fresh()
  const first = await runner("first", url)
  await first.daemon.until(ranCycle)
  await until(async () => ((await first.planned()) ?? 0) > 0)
  first.daemon.child.kill("SIGSTOP")
  const second = await runner("second", url)
  await second.daemon.until(ranCycle)
  await until(async () => ((await second.planned()) ?? 0) > 0)
  first.daemon.child.kill("SIGCONT")
  // Whoever has the account in the end: the other one tells nothing of it.
  await until(
    async () => ((await first.planned()) === undefined) !== ((await second.planned()) === undefined)
  )
  for (const { daemon } of [first, second]) expect(await daemon.stop()).toMatchObject({ code: 0 })
}, 180_000)
