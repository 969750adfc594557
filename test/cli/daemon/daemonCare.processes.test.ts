/** Care for the store while `bidhelm run` has it: a restored store, and what other commands may do meanwhile. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { freePort, until } from "../../faults/Waiting.js"
import * as Exposed from "../../observe/Exposed.js"
import { Daemon, often, ranCycle } from "../Daemon.js"
import * as Shop from "../Shop.js"
import * as Silent from "../Silent.js"

let shop: Shop.Shop
let started: Array<Daemon>
let http: number
let marketplace: Silent.Silent
beforeEach(async () => {
  started = []
  shop = await Shop.Shop.open()
  http = await freePort()
  marketplace = await Silent.before(shop.url)
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(shop.url, marketplace.url))
  shop.write("bidhelm.yaml", `${shop.read("bidhelm.yaml")}\nrunner: {http: "127.0.0.1:${http}"}\n`)
  often(shop, "01-raise-to-reach-max", "apply")
  often(shop, "02-minus-low-ctr", "apply")
  often(shop, "03-daily-budget-stop", "disabled")
})
afterEach(async () => {
  for (const { child, end } of started) {
    child.kill("SIGKILL")
    await end
  }
  await marketplace.close()
  await shop.close()
})

const start = (): Daemon => {
  const made = new Daemon(shop.start("run"))
  started.push(made)
  return made
}
const json = async (...words: ReadonlyArray<string>) =>
  JSON.parse((await shop.well(...words, "--json")).stdout)
const written = async () => (await shop.ledger()).entries.length
const figure = async (name: string) => {
  const page = await (await fetch(`http://127.0.0.1:${http}/metrics`)).text()
  return Exposed.parse(page).get(name)?.samples[0]?.value
}

describe("bidhelm run on a store restored from a backup", () => {
  it("plans, sends nothing, says so everywhere, and works again once reconcile has gone through it", async () => {
    await shop.well("plan")
    await shop.well("backup", "old.gz")
    await shop.well("restore", "old.gz")

    const daemon = start()
    await daemon.until(/only looked: the store was restored from a backup of/)
    await daemon.until(/nothing was sent: the store was restored/)
    const status = await shop.well("status")
    // On a clock that runs fast something may be due again by now.
    expect(status.stdout).toMatch(
      /main: .*\n( {2}due now: .*\n)? {2}only looks: the store was restored .*bidhelm reconcile/
    )
    expect((await json("status")).accounts).toMatchObject([
      { onlyLooks: expect.stringContaining("restored"), last: { outcome: "ran" } }
    ])
    expect(await figure("bidhelm_observe_only")).toBe(1)
    expect(await figure("bidhelm_plan_changes")).toBeGreaterThan(0)
    expect([await written(), (await json("history")).runs]).toEqual([0, []])

    const reconciled = await shop.well("reconcile")
    expect(reconciled.stderr).toContain("may be written to again")
    expect((await json("status")).accounts[0].onlyLooks).toBeUndefined()
    await until(async () => (await written()) > 0)
    await until(async () => (await figure("bidhelm_observe_only")) === 0)
    expect(await daemon.stop()).toMatchObject({ code: 0 })
  }, 180_000)
})

describe("while bidhelm run works", () => {
  it("purge and reconcile run inside it, a backup is whole, and restore is refused with what to do", async () => {
    const daemon = start()
    await daemon.until(/: applied \(/)
    expect(await json("store", "purge", "--dry-run")).toMatchObject({ kind: "purge", dryRun: true, runs: 0 })
    expect((await shop.well("store", "purge")).stdout).toMatch(
      /^(Nothing is old enough|Forgotten: [a-z]+ [1-9])/
    )
    expect((await shop.well("reconcile")).stdout).toContain("Nothing to do: main may be written to")
    await shop.well("backup", "now.gz")
    const refused = await shop.run("restore", "now.gz")
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(/bidhelm run \(pid \d+.*\) has the store; end it first: .*TERM/)
    // It was not disturbed by any of that.
    const before = (daemon.said.match(new RegExp(ranCycle, "g")) ?? []).length
    await until(() => (daemon.said.match(new RegExp(ranCycle, "g")) ?? []).length > before)
    await daemon.stop()
    const runs = (await json("history")).runs.length
    await shop.well("restore", "now.gz")
    expect((await json("history")).runs.length).toBeGreaterThan(0)
    expect((await json("history")).runs.length).toBeLessThanOrEqual(runs)
    expect((await json("history", "--verify")).accounts).toMatchObject([{ breaks: [] }])
  }, 180_000)

  it("status says what people have stopped, as long as it stands, and the last cycle what it held", async () => {
    await shop.well("kill", "--why", "bids look wrong")
    shop.write(".bidhelm/STOP", "")
    const daemon = start()
    await daemon.until(/nothing applied, \d+ held \(kill_switch\)/)
    const { stdout } = await shop.well("status")
    expect(stdout).toMatch(/Nothing is sent from this machine: the file \/.*STOP exists; remove it to go on/)
    expect(stdout).toMatch(
      /^ {2}every request of the account \(kill switch\): .*: bids look wrong; resume with: bidhelm resume --kill$/m
    )
    const told = await json("status")
    expect(told).toMatchObject({
      stopFile: expect.stringMatching(/STOP$/),
      accounts: [{ stops: [{ kind: "kill", why: "bids look wrong", resume: "bidhelm resume --kill" }] }]
    })
    expect(told.accounts[0].last.said).toContain("held (kill_switch)")
    rmSync(join(shop.folder, ".bidhelm/STOP"))
    await shop.well("resume", "--kill")
    expect(await json("status")).not.toHaveProperty("stopFile")
    expect((await json("status")).accounts[0]).not.toHaveProperty("stops")
    expect(await json("status")).not.toHaveProperty("killSwitchIn")
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount:\n  kill_switch: true\n")
    expect((await shop.well("status")).stdout).toMatch(
      /Nothing is sent from this machine: kill_switch is true in \/.*limits\.yaml; set it to false to go on/
    )
    expect(await json("status")).toMatchObject({ killSwitchIn: expect.stringMatching(/limits\.yaml$/) })
  }, 180_000)

  it("kill says that it stops nothing of an account that was renamed meanwhile, and status that it was", async () => {
    const daemon = start()
    await daemon.until(/bidhelm status tells more/)
    const before = shop.read("bidhelm.yaml")
    shop.write("bidhelm.yaml", before.replace('name: "main"', 'name: "shop2"'))
    for (const command of ["kill", "hold"]) {
      const refused = await shop.run(command)
      expect([refused.code, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toMatch(
        /bidhelm\.yaml has changed since bidhelm run began \(main → shop2\): nothing was stopped; .*TERM.*STOP/
      )
    }
    expect((await shop.well("status")).stdout).toContain("has changed since it began (main → shop2)")
    // The stops of the account under its new name are nobody's that runs, and those of another store neither.
    shop.write("bidhelm.yaml", before)
    await shop.well("kill", "--why", "bids look wrong")
    shop.write("bidhelm.yaml", before.replace(/^store:.*$/m, "store: sqlite:.bidhelm/other.sqlite"))
    const unread = "bidhelm.yaml names another store or account than the running program"
    expect(await json("status")).toMatchObject({ stopsUnread: unread, accounts: [{ account: "main" }] })
    expect((await json("status")).accounts[0]).not.toHaveProperty("stops")
    expect((await shop.well("status")).stdout).toContain(`What people have stopped is not known: ${unread}`)
    shop.write("bidhelm.yaml", before)
    await shop.well("kill")
    expect(await json("status")).not.toHaveProperty("configChanged")
    expect(await daemon.stop()).toMatchObject({ code: 0 })
  }, 180_000)

  it("no command but those that stop things goes on without it when it hangs", async () => {
    // Stopped in the middle of a cycle it would keep the database as well.
    for (const id of ["01-raise-to-reach-max", "02-minus-low-ctr"]) often(shop, id, "disabled")
    const daemon = start()
    await daemon.until(/bidhelm status tells more/)
    const hang = async () => {
      daemon.child.kill("SIGSTOP")
      const held = await shop.run("hold", "--why", "it hangs")
      // It was stopped in the middle of a transaction, so that it keeps the database as well: another time.
      if (!/keeps the store busy/.test(held.stderr)) return held
      daemon.child.kill("SIGCONT")
      return undefined
    }
    const held = (await hang()) ?? (await hang()) ?? (await hang())
    expect(held).toMatchObject({ code: 0 })
    for (const words of [["store", "purge"], ["reconcile"], ["apply", "--yes"]]) {
      const refused = await shop.run(...words)
      expect(refused, words.join(" ")).toMatchObject({ code: 1 })
      expect(refused.stderr).toMatch(/pid \d+.* has the store and does not answer/)
    }
    expect(held?.stderr).toMatch(/does not answer; going on without it\. .*STOP stops all sending/)
    daemon.child.kill("SIGCONT")
    expect((await shop.well("holds")).stdout).toContain("it hangs")
  }, 180_000)
})

describe("a store that may only be looked at", () => {
  const marked = async () => {
    await shop.well("apply", "--yes")
    const [{ runId }] = (await json("history")).runs
    await shop.well("backup", "old.gz")
    await shop.well("restore", "old.gz")
    return runId as string
  }

  it("refuses apply, undo and approve before anything is asked, and lets people look and hold", async () => {
    const run = await marked()
    const before = marketplace.heard()
    for (const words of [
      ["apply", "--yes"],
      ["undo", run, "--yes"],
      ["approve", "abcd1234"]
    ]) {
      const refused = await shop.run(...words)
      expect([refused.code, refused.stdout], words.join(" ")).toEqual([1, ""])
      expect(refused.stderr.trim().split("\n")).toEqual([
        expect.stringMatching(/nothing was sent: the store was restored .*bidhelm reconcile/)
      ])
    }
    expect(marketplace.heard()).toBe(before)
    await shop.well("hold", "--why", "until it is clear")
    expect((await shop.well("holds")).stdout).toContain("until it is clear")
    expect((await shop.well("undo", run, "--dry-run")).stdout).toContain(
      "takes back add_minus by 02-minus-low-ctr"
    )
  }, 180_000)

  it("of a newer program is refused by every command, with its place and what to do", async () => {
    await shop.well("apply", "--yes")
    const { DatabaseSync } = await import("@photostructure/sqlite")
    const database = new DatabaseSync(`${shop.folder}/.bidhelm/bidhelm.sqlite`)
    database.exec("INSERT INTO schema_version (version, name, applied_at) VALUES (9999, 'newer', 0)")
    database.close()
    const before = marketplace.heard()
    const all = [
      ["apply", "--yes"],
      ["undo", "run-1", "--yes"],
      ["approve", "abcd1234"],
      ["hold"],
      ["kill"],
      ["reconcile"],
      ["store", "purge"],
      ["history"],
      ["run"]
    ]
    for (const words of all) {
      const refused = await shop.run(...words)
      expect([refused.code, refused.stdout], words.join(" ")).toEqual([1, ""])
      expect(refused.stderr, words.join(" ")).toMatch(
        /bidhelm\.sqlite\): it was written by a newer bidhelm .*9999.*; update bidhelm/
      )
    }
    expect(marketplace.heard()).toBe(before)
  }, 180_000)
})
