/**
 * `pg_terminate_backend` in the middle of the journal's transactions, and an answer to COMMIT that never comes: the
 * program cannot know which of both happened. The marketplace's ledger is the judge.
 */
import { createConnection, createServer, type Socket } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import type * as Shop from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as PostgresShop from "./PostgresShop.js"
import * as Stage from "./Stage.js"

afterAll(Postgres.end)

/** Ends the connection that writes this state for the first time, with its transaction. A sequence is never rolled back. */
const deadly = (state: string) => `
  CREATE SEQUENCE deaths;
  CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('deaths') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER dying AFTER UPDATE ON changes FOR EACH ROW WHEN (NEW.state = '${state}') EXECUTE FUNCTION die()`

/** Applies until nothing is left to do: the first may have ended early. */
const goOn = async (shop: Shop.Shop): Promise<void> => {
  await PostgresShop.well(shop, "apply", "--yes")
  const entries = await Stage.nothingTwice(shop)
  expect(entries.filter(({ slot }) => slot === "bid.search")).toHaveLength(4)
  expect(entries.filter(({ slot }) => slot === "budget")).toHaveLength(1)
  expect(await Stage.requests(shop, "depositCampaignBudget")).toBe(1)
  await PostgresShop.nothingOpen(shop)
}

const states = ["claimed", "dispatching", "accepted", "applied"]

describe.concurrent("a connection that PostgreSQL ends", () => {
  it.each(states)(
    "in the transaction that writes %s: nothing of it stays, and every effect is there once",
    async (state) => {
      const url = await (await Postgres.shared()).fresh()
      const shop = await PostgresShop.open(url, ["bids", "deposit"])
      try {
        expect((await shop.run("history")).code).toBe(0)
        await PostgresShop.ask(url, deadly(state))
        const first = await Stage.run(shop, ["apply", "--yes"])
        expect(first.code).not.toBe(null)
        expect(first.stderr).not.toMatch(/ {4}at /)
        expect(first.stdout + first.stderr).toMatch(/connection to PostgreSQL was lost/)
        const [deaths] = await PostgresShop.ask(url, "SELECT last_value, is_called FROM deaths")
        expect(deaths).toMatchObject({ is_called: true })
        await goOn(shop)
      } finally {
        await shop.close()
      }
    }
  )

  it.each(states)("after it committed %s, before it said so: every effect is there once", async (state) => {
    const url = await (await Postgres.shared()).fresh()
    const door = await silentCommit(Number(new URL(url).port), state)
    const through = new URL(url)
    through.port = String(door.port)
    const shop = await PostgresShop.open(through.href, ["bids", "deposit"])
    try {
      const first = await Stage.run(shop, ["apply", "--yes"])
      expect(first.code).not.toBe(null)
      expect(first.stderr).not.toMatch(/ {4}at /)
      expect(door.fired()).toBe(true)
      await goOn(shop)
    } finally {
      await shop.close()
      door.close()
    }
  })
})

/** Leads to a server; the answer to the first COMMIT after a statement with this word is lost, and its connection ends. */
const silentCommit = (to: number, word: string) =>
  new Promise<{ readonly port: number; readonly fired: () => boolean; readonly close: () => void }>(
    (resolve) => {
      let fired = false
      // As a value of a statement: its length, then its letters.
      const value = Buffer.concat([Buffer.from([0, 0, 0, word.length]), Buffer.from(word)])
      const sockets = new Set<Socket>()
      const door = createServer((near) => {
        const far = createConnection({ host: "127.0.0.1", port: to })
        let isMeant = false
        let isSilent = false
        for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined))
        near.on("data", (part: Buffer) => {
          isMeant ||= part.includes(value)
          if (!fired && isMeant && part.includes("COMMIT")) {
            fired = true
            isSilent = true
          }
          far.write(part)
        })
        far.on("data", (part: Buffer) => {
          if (isSilent) near.resetAndDestroy()
          else near.write(part)
        })
        near.on("close", () => far.end())
        far.on("close", () => near.destroy())
      })
      door.listen(0, "127.0.0.1", () => {
        const address = door.address()
        resolve({
          port: typeof address === "object" && address !== null ? address.port : 0,
          fired: () => fired,
          close: () => {
            for (const socket of sockets) socket.destroy()
            door.close()
          }
        })
      })
    }
  )
