import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Operation from "../../src/services/Operation.js"

interface Row {
  readonly id: string
  readonly seed: string
  readonly area: string
  readonly method: string
  readonly path: string
  readonly altPath?: string
  readonly host: string
  readonly tokenCategory: string
  readonly tokenKinds?: ReadonlyArray<string>
  readonly readOnlyTokenOk: boolean
  readonly limitGroup: string
  readonly limits: { readonly personal: unknown; readonly base: unknown; readonly baseRule: string }
  readonly write: boolean
  readonly retry: string
  readonly sideEffectGet?: boolean
  readonly verifyBy?: string
  readonly success: ReadonlyArray<number>
  readonly errors: ReadonlyArray<number>
  readonly batch?: {
    readonly field: string
    readonly max: number | null
    readonly min?: number
    readonly inner?: { readonly field: string; readonly max: number }
  }
  readonly notes: ReadonlyArray<string>
}

const contract: {
  readonly operations: ReadonlyArray<Row>
  readonly limitGroups: Readonly<Record<string, { readonly cost4xx: number | null }>>
} = parse(readFileSync(new URL("operations.yaml", import.meta.url), "utf8"))
const rows = contract.operations.filter((row) => row.seed === "001")

describe("the declarations say what the contract says", () => {
  test("there are 35 of them, in the same order", () => {
    expect(rows).toHaveLength(35)
    expect(Catalogue.operations.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s", (id, row) => {
    const entry = Catalogue.find(id)!
    expect({
      area: entry.area,
      method: entry.method,
      path: entry.path,
      altPath: entry.altPath,
      host: entry.host,
      tokenCategory: entry.tokenCategory,
      tokenKinds: entry.tokenKinds,
      access: entry.access,
      retry: entry.retry,
      sideEffectGet: entry.sideEffectGet,
      limitGroup: entry.limitGroup,
      success: entry.success,
      errors: entry.errors,
      notes: entry.notes
    }).toEqual({
      area: row.area,
      method: row.method,
      path: row.path,
      altPath: row.altPath,
      host: row.host,
      tokenCategory: row.tokenCategory,
      tokenKinds: row.tokenKinds,
      access: row.write ? "write" : "read",
      retry: row.retry,
      sideEffectGet: row.sideEffectGet ?? false,
      limitGroup: row.limitGroup,
      success: row.success,
      errors: row.errors,
      notes: row.notes
    })
    expect(row.readOnlyTokenOk).toBe(entry.access === "read")
    expect(entry.verifyBy !== undefined).toBe(row.verifyBy !== undefined)
    expect(entry.cost4xx).toBe(contract.limitGroups[row.limitGroup]?.cost4xx ?? 1)
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s: limits of every token kind", (id, row) => {
    const entry = Catalogue.find(id)!
    const served = (kind: string) => row.tokenKinds === undefined || row.tokenKinds.includes(kind)
    for (const kind of ["personal", "service", "base_with_secret"] as const) {
      expect(Operation.limitOf(entry, kind)).toEqual(served(kind) ? row.limits.personal : undefined)
    }
    const base = { own: row.limits.base, sameAsPersonal: row.limits.personal, notAvailable: undefined }
    expect(Operation.limitOf(entry, "base")).toEqual(base[row.limits.baseRule as keyof typeof base])
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s: batch bound", (id, row) => {
    const entry = Catalogue.find(id)!
    expect(entry.batch?.field).toBe(row.batch?.field)
    expect(entry.batch?.max).toBe(row.batch?.max ?? undefined)
    expect(entry.batch?.min).toBe(row.batch?.min)
    expect(entry.batch?.inner?.max).toBe(row.batch?.inner?.max)
  })
})

describe("the declarations are whole", () => {
  test("every documented status has a schema, and no other has", () => {
    const spec = Catalogue.openApi()
    for (const entry of Catalogue.operations) {
      const method = entry.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete"
      const statuses = Object.keys(spec.paths[entry.path]?.[method]?.responses ?? {}).map(Number)
      expect(statuses.sort(), entry.id).toEqual([...entry.success, ...entry.errors].sort())
    }
  })

  test("the endpoint's type is marked as writing exactly where the facts say so", () => {
    for (const entry of Catalogue.operations) {
      expect(Operation.writes in entry.endpoint, entry.id).toBe(entry.access === "write")
    }
  })

  test("the catalogue page names every operation", () => {
    const page = Catalogue.markdown()
    for (const { id } of rows) expect(page).toContain(`| \`${id}\` | `)
    for (const { path } of rows) expect(page).toContain(path)
  })
})
