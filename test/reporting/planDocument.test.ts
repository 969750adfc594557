/** A plan as JSON: a sentence beside each code, and whoever reads it back goes by the codes alone. */
import * as Either from "effect/Either"
import { expect, it } from "vitest"
import * as PlanJson from "../../src/engine/decide/PlanJson.js"
import * as HeldReasons from "../../src/reporting/HeldReasons.js"
import * as PlanDocument from "../../src/reporting/PlanDocument.js"
import { samplePlan } from "./samplePlan.js"

const document = PlanDocument.of(samplePlan)

it("says what holds a change in words beside its code", () => {
  expect(document.held.map(({ because: { code }, by, limit, over }) => ({ by, code, limit, over }))).toEqual([
    { by: "changes_per_run", code: "changes_per_run", limit: "changes_per_run 2", over: "3 changes, 1 over" }
  ])
})

it("is the same plan when it is read back, whatever words somebody wrote into it or took out", () => {
  const other = "kill_switch: every write is stopped"
  const bent = {
    ...document,
    held: document.held.map((row) => ({ ...row, limit: other, over: other })),
    unchanged: document.unchanged.map((row) => ({ ...row, why: other }))
  }
  const bare = { ...document, held: document.held.map(({ limit: _, over: __, ...row }) => row) }
  for (const one of [document, bent, bare])
    expect(PlanJson.readExactly(JSON.parse(JSON.stringify(one)))).toEqual(Either.right(samplePlan))
})

it("takes no hold whose code or fields it does not know", () => {
  const [row] = document.held
  for (const because of [{ code: "whim" }, { code: "changes_per_run", where: "x", most: 2 }])
    expect(Either.isLeft(PlanJson.readExactly({ ...document, held: [{ ...row, because }] }))).toBe(true)
})

it("prints kopecks of a hold in the account's currency", () => {
  const because = {
    code: "max_bid",
    where: "rules/a.yaml max_bid",
    kopecks: 43_000,
    bidKopecks: 44_000
  } as const
  expect(HeldReasons.line(because, { currency: "RUB" })).toBe(
    "rules/a.yaml max_bid 430 ₽: 440 ₽ is 10 ₽ over"
  )
})
