/** A shop whose store is a PostgreSQL database. What its journal says is asked of the program itself. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect } from "vitest"
import * as PgClient from "../../src/store/clients/PgClient.js"
import type * as Shop from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as Stage from "./Stage.js"

export const open = async (
  store: string,
  chosen: ReadonlyArray<keyof typeof Stage.rules>,
  password = Postgres.password
): Promise<Shop.Shop> => {
  const shop = await Stage.open(chosen.filter((rule) => rule !== "deposit"))
  const own = shop.read("bidhelm.yaml").replace(/^store:.*\n/m, "")
  shop.write("bidhelm.yaml", `${own}store: ${store}\nstore_password: {file: secret}\n`)
  shop.write("secret", `${password}\n`)
  chmodSync(join(shop.folder, "secret"), 0o600)
  if (chosen.includes("deposit")) await Stage.addDeposit(shop)
  return shop
}

/** One statement, or several without an answer. */
export const ask = (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(text)),
      PgClient.layer({ url, password: Redacted.make(Postgres.password), connections: 1 })
    )
  )

/** A command that must go well; it is given again when a busy machine lost its lock. */
export const well = async (shop: Shop.Shop, ...words: ReadonlyArray<string>): Promise<Shop.Ended> => {
  const ended = await Stage.run(shop, words)
  expect([words.join(" "), ended.code, ended.stderr]).toEqual([words.join(" "), 0, ended.stderr])
  return ended
}

const openStates = ["planned", "claimed", "dispatching", "accepted", "unknown", "parked"]

/** Every run said how it ended, no change is open, and the audit chain is whole. */
export const nothingOpen = async (shop: Shop.Shop): Promise<void> => {
  const { runs } = JSON.parse((await well(shop, "history", "--json")).stdout) as {
    readonly runs: ReadonlyArray<{ readonly status: string; readonly counts: Record<string, number> }>
  }
  expect(runs.length).toBeGreaterThan(0)
  expect(runs.filter(({ status }) => status === "running")).toEqual([])
  expect(runs.flatMap(({ counts }) => openStates.filter((state) => state in counts))).toEqual([])
  await well(shop, "history", "--verify")
}
