/** Two runners on one PostgreSQL look for supplies that no policy answers for: judged by what the marketplace was asked. */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import { freePort, until } from "../../faults/Waiting.js"
import type { LedgerReport } from "../../fulfilment/day/DayJudge.js"
import * as MemoryFolder from "../../MemoryFolder.js"
import * as Postgres from "../../store/Postgres.js"
import * as Bundle from "../Bundle.js"
import * as Daemon from "../Daemon.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"

afterAll(Postgres.end)

/** What a turn says of supplies that it does not hand over. */
const told = /main: .*policy 13-fulfilment, which made it, is gone from the rules/

const looks = (runners: ReadonlyArray<Daemon.Daemon>): number =>
  runners.flatMap(({ said }) => said.split("\n").filter((line) => told.test(line))).length

it("are looked for and told by one of two runners at each half hour, and by nobody a second time", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  const store = await (await Postgres.shared()).fresh()
  const own = `${shop.read("bidhelm.yaml").replace(/^store:.*\n/m, "")}store: "${store}"\nstore_password: {env: STORE_PASSWORD}\n`
  shop.environment = { STORE_PASSWORD: Postgres.password }
  shop.write("bidhelm.yaml", own)
  const folders: Array<string> = []
  const runners: Array<Daemon.Daemon> = []
  try {
    await shop.well("apply", "--yes", "--lane", "orders")
    shop.removeRules()
    const asked = async () => {
      const ledger = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as LedgerReport
      return ledger.counters.listSupplies?.requests ?? 0
    }
    const before = await asked()
    for (let n = 0; n < 2; n++) {
      shop.write(
        "bidhelm.yaml",
        `${own}runner: {listen: "127.0.0.1:${await freePort()}", shards: 20, lock_seconds: 6}\n`
      )
      const folder = mkdtempSync(join(MemoryFolder.path, "bidhelm-left-"))
      folders.push(folder)
      cpSync(shop.folder, folder, { recursive: true })
      const env = { PATH: process.env.PATH ?? "", BIDHELM_TOKEN: sandboxToken(), ...shop.environment }
      runners.push(
        new Daemon.Daemon(
          spawn(process.execPath, [Bundle.program(), "run"], {
            cwd: folder,
            env,
            stdio: ["ignore", "pipe", "pipe"]
          })
        )
      )
    }
    await until(() => looks(runners) >= 2)
    for (const runner of runners) await runner.stop()
    expect((await asked()) - before).toBe(looks(runners))
  } finally {
    for (const { child } of runners) child.kill("SIGKILL")
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    await shop.close()
  }
}, 600_000)
