/** The store under real trouble: a full disk, somebody else's lock, a damaged byte, an old copy. */
import { spawnSync } from "node:child_process"
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import { afterEach, describe, expect, it } from "vitest"
import { Daemon } from "../cli/Daemon.js"
import type * as Shop from "../cli/Shop.js"
import * as Stage from "./Stage.js"
import * as StageJournal from "./StageJournal.js"
import { until } from "./Waiting.js"

let shop: Shop.Shop | undefined
let cleanUp: Array<() => void> = []
afterEach(async () => {
  for (const undo of cleanUp) undo()
  cleanUp = []
  await shop?.close()
  shop = undefined
})

/** True when this machine lets the tests mount a small disk of their own. */
const mounts = (() => {
  const probe = "/tmp/bidhelm-faults-mount"
  mkdirSync(probe, { recursive: true })
  const made = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", probe]).status === 0
  if (made) spawnSync("umount", [probe])
  rmSync(probe, { recursive: true, force: true })
  return made
})()

/** The store's folder becomes a disk of so many kilobytes. */
const smallDisk = (of: Shop.Shop, kilobytes: number): string => {
  const folder = join(of.folder, ".bidhelm")
  mkdirSync(folder, { recursive: true })
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "none", folder]).status).toBe(0)
  cleanUp.push(() => spawnSync("umount", ["-l", folder]))
  return folder
}

/** Leaves no room at all. */
const fill = (folder: string): string => {
  const ballast = join(folder, "ballast")
  const file = openSync(ballast, "w")
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch {
    return ballast
  } finally {
    closeSync(file)
  }
}

const refused = (ended: Shop.Ended, says: RegExp) => {
  expect([ended.code, ended.stderr]).not.toEqual([0, ended.stderr])
  expect(ended.stderr).toMatch(says)
  expect(ended.stderr).not.toMatch(/ {4}at /)
}

describe.skipIf(!mounts)("a full disk", () => {
  it("before a change is claimed: nothing is sent, and with room again everything is", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    const folder = smallDisk(of, 4096)
    expect((await of.run("history")).code).toBe(0)
    const ballast = fill(folder)
    refused(await of.run("apply", "--yes"), /disk is full|disk failed/)
    expect((await Stage.ledgerOf(of)).entries).toEqual([])
    rmSync(ballast)
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    expect(await Stage.nothingTwice(of)).toHaveLength(4)
    await StageJournal.nothingOpen(of)
  })

  it("after a request left: its outcome is read back by the next run, and nothing is sent twice", async () => {
    const of = await Stage.open([])
    shop = of
    const folder = smallDisk(of, 4096)
    await Stage.addDeposit(of)
    await of.control("faults", {
      faults: [{ kind: "latency", operation: "depositCampaignBudget", ms: 180_000 }]
    })
    const end = of.run("apply", "--yes")
    await until(async () => StageJournal.says(of, "dispatching"))
    const ballast = fill(folder)
    refused(await end, /disk is full|disk failed/)
    rmSync(ballast)
    await of.control("faults", { faults: [] })
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    expect(await Stage.nothingTwice(of)).toHaveLength(1)
    expect(await Stage.requests(of, "depositCampaignBudget")).toBe(1)
    await StageJournal.nothingOpen(of)
  })
})

describe.skipIf(!existsSync("/dev/full"))("a log whose disk is full", () => {
  it("does not end bidhelm run, which goes on to send and ends well when it is asked to", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    const log = openSync("/dev/full", "w")
    cleanUp.push(() => closeSync(log))
    const daemon = new Daemon(of.startOnto(log, "run", "--json"))
    cleanUp.push(() => daemon.child.kill("SIGKILL"))
    await until(async () => daemon.isOver || (await Stage.ledgerOf(of)).entries.length === 4)
    expect(await daemon.stop()).toMatchObject({ code: 0 })
    expect(await Stage.nothingTwice(of)).toHaveLength(4)
  })
})

/** Keeps everybody else from writing until it is let go. */
const lock = (of: Shop.Shop): (() => void) => {
  const database = new DatabaseSync(StageJournal.storeOf(of))
  database.exec("PRAGMA busy_timeout = 60000")
  database.exec("BEGIN IMMEDIATE")
  return () => database.close()
}

describe("a store that another process keeps busy", () => {
  it("stops apply before anything is sent, and tells why; let go, it works", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    await of.run("history")
    const letGo = lock(of)
    refused(await of.run("apply", "--yes"), /another process keeps the store busy/)
    letGo()
    expect((await Stage.ledgerOf(of)).entries).toEqual([])
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    expect(await Stage.nothingTwice(of)).toHaveLength(4)
  })

  it("costs bidhelm run a cycle, which it tells, and the next one works", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    const daemon = new Daemon(of.start("run"))
    cleanUp.push(() => daemon.child.kill("SIGKILL"))
    await daemon.until(/pid \d+/)
    const letGo = lock(of)
    await daemon.until(/another process keeps the store busy/)
    expect(daemon.isOver).toBe(false)
    letGo()
    await until(async () => (await Stage.ledgerOf(of)).entries.length === 4)
    await Stage.nothingTwice(of)
    daemon.child.kill("SIGTERM")
    expect((await daemon.end).code).toBe(0)
  })
})

describe("a store that is not what it was", () => {
  it("with damaged bytes is refused, and the message tells how to go on", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    const before = (await Stage.ledgerOf(of)).entries.length
    const file = openSync(StageJournal.storeOf(of), "r+")
    const { size } = statSync(StageJournal.storeOf(of))
    // The head of every third page: its kind is no kind.
    for (let at = 4096; at < size; at += 3 * 4096) writeSync(file, Buffer.from([0x7f]), 0, 1, at)
    closeSync(file)
    of.write(...Stage.rules.status)
    for (const command of [["apply", "--yes"], ["run", "--once"], ["plan"]])
      refused(await of.run(...command), /damaged.*bidhelm restore/s)
    expect((await Stage.ledgerOf(of)).entries).toHaveLength(before)
  })

  it("that is an older copy only looks, until somebody reconciles it", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    const old = join(of.folder, "old.sqlite")
    copyFileSync(StageJournal.storeOf(of), old)
    of.write(...Stage.rules.status)
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    for (const more of ["", "-wal", "-shm"]) rmSync(StageJournal.storeOf(of) + more, { force: true })
    copyFileSync(old, StageJournal.storeOf(of))
    of.write(...Stage.rules.minus)
    const before = (await Stage.ledgerOf(of)).entries.length
    refused(await of.run("apply", "--yes"), /older copy.*bidhelm reconcile/s)
    expect((await Stage.ledgerOf(of)).entries).toHaveLength(before)
    expect((await of.run("reconcile")).code).toBe(0)
    expect((await Stage.run(of, ["apply", "--yes"])).code).toBe(0)
    await Stage.nothingTwice(of)
  })

  it("whose file is something else is refused and left as it is", async () => {
    const of = await Stage.open(["bids"])
    shop = of
    mkdirSync(join(of.folder, ".bidhelm"), { recursive: true })
    writeFileSync(StageJournal.storeOf(of), "a letter to somebody\n".repeat(500))
    refused(await of.run("apply", "--yes"), /not a store/)
    expect(of.read(".bidhelm/bidhelm.sqlite")).toMatch(/^a letter to somebody/)
  })
})
