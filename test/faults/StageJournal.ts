/** What the store says, read from its file without the program: how runs ended, and whether anything is still open. */
import { join } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as AuditVerify from "../../src/store/audit/AuditVerify.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import type * as Shop from "../cli/Shop.js"

export interface Run {
  readonly runId: string
  readonly status: string
}

export const storeOf = (shop: Shop.Shop): string => join(shop.folder, ".bidhelm/bidhelm.sqlite")

/** Rows of one question. */
export const ask = <Row>(
  shop: Shop.Shop,
  question: string,
  ...values: ReadonlyArray<string>
): ReadonlyArray<Row> => {
  const database = new DatabaseSync(storeOf(shop), { readOnly: true })
  try {
    return database.prepare(question).all(...values) as ReadonlyArray<Row>
  } finally {
    database.close()
  }
}

/** True when a change has this state now. */
export const says = (shop: Shop.Shop, state: string): boolean => {
  try {
    return ask(shop, "SELECT 1 FROM changes WHERE state = ?", state).length > 0
  } catch {
    return false
  }
}

/** Until when the account's lock is taken, milliseconds of the sandbox's clock; 0 when it is free. */
export const lockedUntil = (shop: Shop.Shop): number =>
  ask<{ until: number }>(shop, "SELECT until FROM locks")[0]?.until ?? 0

const ended = new Set(["done", "partial", "failed", "interrupted"])
const openStates = "('planned', 'claimed', 'dispatching', 'accepted', 'unknown', 'parked')"

/** Every run said how it ended, neither a change nor a creation is open, and the audit chain is whole. */
export const nothingOpen = async (shop: Shop.Shop): Promise<ReadonlyArray<Run>> => {
  const runs = ask<Run>(shop, "SELECT run_id AS runId, status FROM runs ORDER BY started_at")
  expect(runs.filter(({ status }) => !ended.has(status))).toEqual([])
  for (const table of ["changes", "creations"])
    expect([table, ask(shop, `SELECT * FROM ${table} WHERE state IN ${openStates}`)]).toEqual([table, []])
  const verified = await Effect.gen(function* () {
    const accounts = yield* AuditVerify.accounts
    return yield* Effect.forEach(accounts, (name) => AuditVerify.verify(name))
  }).pipe(Effect.provide(SqliteClient.layer({ filename: storeOf(shop), readOnly: true })), Effect.runPromise)
  expect(verified.flatMap(({ breaks }) => breaks)).toEqual([])
  return runs
}
