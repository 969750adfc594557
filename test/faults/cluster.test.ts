/** Several machines: killed, hung, cut off from the database, or without one. The marketplace's ledger is the judge. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Postgres from "../store/Postgres.js"
import * as Proxy from "./Proxy.js"
import { accounts, type Due, pause, Runners, until } from "./Runners.js"

let server: Postgres.Server
let cluster: Runners
let url: string

beforeEach(async () => {
  server = await Postgres.shared()
  url = await server.fresh()
  cluster = await Runners.open(url)
})
afterEach(() => cluster.close())
afterAll(Postgres.end)

/** Something was written, once it had its turn, and nothing twice. */
const nothingTwice = async () => {
  await until(async () => (await cluster.effects()).length > 0)
  const effects = await cluster.effects()
  expect(effects.filter((effect, at) => effects.indexOf(effect) !== at)).toEqual([])
  const runs = await cluster.ask<{ slots: number; changes: number }>(
    `SELECT count(*) AS changes, count(DISTINCT (account, slot)) AS slots FROM changes
     WHERE state = 'applied' AND sent_at IS NOT NULL`
  )
  expect(runs[0]?.slots).toBe(runs[0]?.changes)
}

/**
 * Every due time that is known now comes to an end: served once, or `passed` for a later one of its job. One that
 * became due while a cycle ran waits for the next, so its end is waited for.
 */
const nothingForgotten = async () => {
  const known = new Set((await cluster.dues()).map(keyOf))
  await until(async () => {
    const open = (await cluster.dues()).filter(({ state }) => state === "waiting" || state === "running")
    return open.every((due) => !known.has(keyOf(due)))
  })
  const ended = (await cluster.dues()).filter((due) => known.has(keyOf(due)))
  expect(ended).toHaveLength(known.size)
  expect(ended.filter(({ state }) => !/^(seen|done|passed)$/.test(state))).toEqual([])
  for (const account of accounts) {
    for (const job of new Set(ended.map((due) => due.job))) {
      const served = ended.filter((due) => due.account === account && due.job === job && due.state === "done")
      expect(served.length, `${account} ${job}`).toBeGreaterThan(0)
    }
  }
}

const keyOf = ({ account, due_at, job }: Due): string => `${account} ${job} ${due_at}`

describe("several runners on one database", () => {
  it("start at the same instant on an empty one, and work for every account once", async () => {
    const three = await Promise.all([cluster.start(), cluster.start(), cluster.start()])
    await cluster.everyAccountRuns()
    expect(three.map(({ child }) => child.exitCode)).toEqual([null, null, null])
    await nothingTwice()
    await nothingForgotten()
  })

  it("take over what a killed one had in the air, and send nothing twice", async () => {
    const two = [await cluster.start(), await cluster.start()]
    await cluster.slow("setMinusPhrases")
    const dead = await cluster.busy(two)
    dead.child.kill("SIGKILL")
    await cluster.slow()
    await cluster.everyAccountRuns()
    await nothingTwice()
    await nothingForgotten()
  })

  it("take over from one that hangs, which sends nothing when it wakes up", async () => {
    const two = [await cluster.start(), await cluster.start()]
    await cluster.slow("setMinusPhrases")
    const hung = await cluster.busy(two)
    hung.child.kill("SIGSTOP")
    await cluster.slow()
    await cluster.everyAccountRuns()
    const locks = await cluster.ask<{ holder: string; epoch: number }>("SELECT holder, epoch FROM locks")
    expect(locks.filter(({ holder }) => hung.holder.test(holder))).toEqual([])
    expect(Math.max(...locks.map(({ epoch }) => epoch))).toBeGreaterThan(1)
    hung.child.kill("SIGCONT")
    await cluster.everyAccountRuns()
    await nothingTwice()
    await nothingForgotten()
  })

  it("run a message once though it is delivered again", async () => {
    await cluster.start()
    await cluster.everyAccountRuns()
    const before = (await cluster.dues()).filter(({ state }) => state === "done")
    await cluster.ask("DELETE FROM cluster_replies")
    await cluster.ask("UPDATE cluster_messages SET processed = FALSE, last_reply_id = NULL, last_read = NULL")
    await cluster.everyAccountRuns()
    const after = await cluster.dues()
    for (const due of before) expect(after).toContainEqual(due)
    await nothingTwice()
  })

  it("go on by themselves after the database was away, and send nothing meanwhile", async () => {
    const two = [await cluster.start(), await cluster.start()]
    await cluster.everyAccountRuns()
    await server.stop()
    try {
      await pause(2000)
      const before = await cluster.effects()
      // A due time passes.
      await pause(12_000)
      expect(await cluster.effects()).toEqual(before)
    } finally {
      await server.restart()
    }
    await cluster.everyAccountRuns()
    expect(two.map(({ child }) => child.exitCode)).toEqual([null, null])
    await nothingTwice()
    await nothingForgotten()
  })
})

const startBehind = (proxy: Proxy.Proxy) => {
  const through = new URL(url)
  through.port = String(proxy.port)
  return cluster.start(through.href)
}

describe("a runner that does not reach the database", () => {
  for (const fault of ["stall", "cut"] as const) {
    it(`stops sending, and the other takes its accounts over (${fault})`, async () => {
      const proxies = [await Proxy.start(server.port), await Proxy.start(server.port)]
      const two = [await startBehind(proxies[0]!), await startBehind(proxies[1]!)]
      await cluster.slow("setMinusPhrases")
      // Which runner has accounts at all is up to the hashes of their addresses.
      const lonely = await cluster.busy(two)
      const other = two.find((runner) => runner !== lonely)!
      const proxy = proxies[two.indexOf(lonely)]!
      proxy[fault]()
      await cluster.slow()
      await cluster.everyAccountRuns()
      const holders = await cluster.ask<{ holder: string }>("SELECT holder FROM locks WHERE holder <> ''")
      expect(holders.every(({ holder }) => other.holder.test(holder))).toBe(true)
      proxy.heal()
      await cluster.everyAccountRuns()
      expect(lonely.child.exitCode).toBe(null)
      await nothingTwice()
      await nothingForgotten()
      for (const one of proxies) await one.close()
    })
  }
})
