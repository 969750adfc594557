import { expect, test } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Limiter from "../../src/services/Limiter.js"
import type { TokenKind } from "../../src/services/Operation.js"
import * as Operation from "../../src/services/Operation.js"

import { key } from "../../src/services/ports/LimiterStore.js"

const kinds: ReadonlyArray<TokenKind> = ["personal", "service", "base_with_secret", "base"]
const groups = new Map<string, Array<Catalogue.Entry>>()
for (const entry of Catalogue.operations)
  groups.set(entry.limitGroup, [...(groups.get(entry.limitGroup) ?? []), entry])

const shared = [...groups].filter(([, entries]) => entries.length > 1)
const bucket = (entry: Catalogue.Entry, kind: TokenKind, isTest = false) =>
  Limiter.bucketOf(entry, AccountName("shop"), { kind, test: isTest })

test("the ninety operations draw from fifty-seven limits, four of them shared", () => {
  expect(Catalogue.operations).toHaveLength(90)
  expect(groups.size).toBe(57)
  expect(shared.map(([name, entries]) => [name, entries.length]).sort()).toEqual([
    ["calendar", 4],
    ["marketplace.general", 25],
    ["marketplace.labelsReadDelete", 2],
    ["marketplace.labelsWrite", 6]
  ])
})

test("operations of one group declare one limit, one weight of a refusal and one host", () => {
  for (const [name, entries] of shared) {
    const told = new Set(entries.map((e) => JSON.stringify([e.limits, e.cost4xx, e.host])))
    expect(told.size, name).toBe(1)
  }
})

test("operations of one group draw from one bucket, others from others, by token kind", () => {
  for (const kind of kinds) {
    for (const [name, entries] of groups) {
      const served = entries.flatMap((entry) => bucket(entry, kind) ?? [])
      expect(new Set(served.map(key)).size, name).toBeLessThanOrEqual(1)
    }
    const all = Catalogue.operations.flatMap((entry) => bucket(entry, kind) ?? [])
    expect(new Set(all.map(key)).size).toBe(
      [...groups.values()].filter(([entry]) => bucket(entry!, kind) !== undefined).length
    )
  }
})

test("a refusal weighs ten on the marketplace host and one elsewhere", () => {
  for (const entry of Catalogue.operations)
    expect(entry.cost4xx, entry.id).toBe(entry.host === "marketplace" ? 10 : 1)
})

test("a Base token keeps to 150 a minute on the marketplace host, and to what is slower anyway", () => {
  const pace = (id: string, kind: TokenKind) => {
    const { burst, intervalMs } = bucket(Catalogue.find(id)!, kind)!
    return [burst, intervalMs]
  }
  expect(pace("listSupplies", "base")).toEqual([10, 400])
  expect(pace("setOrderUin", "base")).toEqual([10, 400])
  expect(pace("cancelOrder", "base")).toEqual([20, 600])
  expect(pace("createPass", "base")).toEqual([1, 600_000])
  expect(pace("listSupplies", "personal")).toEqual([20, 200])
  expect(pace("setOrderUin", "service")).toEqual([20, 60])
})

test("in the test environment the marketplace host is one bucket of one request per second; advertising is as always", () => {
  const buckets = Catalogue.operations
    .filter((entry) => entry.testHost && entry.host === "marketplace")
    .map((entry) => bucket(entry, "personal", true)!)
  expect(buckets.length).toBeGreaterThan(30)
  expect(new Set(buckets.map((one) => JSON.stringify(one)))).toEqual(
    new Set([
      JSON.stringify({
        account: "shop",
        tokenKind: "personal",
        limitGroup: "marketplace.test",
        burst: 1,
        intervalMs: 1000,
        cost4xx: 10
      })
    ])
  )
  const balance = Catalogue.find("getBalance")!
  expect(bucket(balance, "personal", true)).toEqual(bucket(balance, "personal"))
})

test("the stated limits need no group whose operations differ in burst", () => {
  for (const [name, entries] of groups)
    for (const kind of kinds) {
      const limits = entries.map((entry) => JSON.stringify(Operation.limitOf(entry, kind)))
      expect(new Set(limits).size, `${name} ${kind}`).toBe(1)
    }
})
