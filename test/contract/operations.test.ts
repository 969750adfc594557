import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as FieldNotes from "../../src/cli/call/FieldNotes.js"
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
  readonly testHost: boolean
  readonly errorCodes?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly quota?: string
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
    readonly min?: number | null
    readonly inner?: { readonly field: string; readonly max: number }
  }
  readonly notes?: ReadonlyArray<string>
  readonly paging?: string
}

const contract: {
  readonly operations: ReadonlyArray<Row>
  readonly limitGroups: Readonly<Record<string, { readonly cost4xx: number | null }>>
} = parse(readFileSync(new URL("operations.yaml", import.meta.url), "utf8"))
/** Seed 000 says what they answer in the test environment, although no test host is published for them. */
const servedInTestBySeed = ["getCrossBorderStickers"]

/** The contract's spelling of a token kind in ours. */
const kindOf = (kind: string) => (kind === "baseWithSecret" ? "base_with_secret" : kind)
const kindsOf = (row: Row) => row.tokenKinds?.map(kindOf)
const rows = contract.operations

describe("the declarations say what the contract says", () => {
  test("there are 90 of them, in the same order", () => {
    expect(rows).toHaveLength(90)
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
      testHost: entry.testHost,
      errorCodes: entry.errorCodes,
      hasQuota: entry.quota !== undefined,
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
      tokenKinds: kindsOf(row),
      testHost: row.testHost || servedInTestBySeed.includes(id),
      errorCodes: row.errorCodes,
      hasQuota: row.quota !== undefined,
      access: row.write ? "write" : "read",
      retry: row.retry,
      sideEffectGet: row.sideEffectGet ?? false,
      limitGroup: row.limitGroup,
      success: row.success,
      errors: row.errors,
      notes: row.notes ?? []
    })
    expect(row.readOnlyTokenOk).toBe(entry.access === "read")
    expect(entry.verifyBy !== undefined).toBe(row.verifyBy !== undefined)
    expect(entry.cost4xx).toBe(contract.limitGroups[row.limitGroup]?.cost4xx ?? 1)
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s: limits of every token kind", (id, row) => {
    const entry = Catalogue.find(id)!
    const served = (kind: string) => kindsOf(row)?.includes(kind) ?? true
    for (const kind of ["personal", "service", "base_with_secret"] as const) {
      expect(Operation.limitOf(entry, kind)).toEqual(served(kind) ? row.limits.personal : undefined)
    }
    const base = { own: row.limits.base, sameAsPersonal: row.limits.personal, notAvailable: undefined }
    expect(Operation.limitOf(entry, "base")).toEqual(base[row.limits.baseRule as keyof typeof base])
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s: how its pages are walked", (id, row) => {
    const stated = row.paging?.startsWith("none") ? undefined : row.paging?.split(":")[0]
    expect(Catalogue.find(id)!.paging?.kind).toBe(stated)
  })

  test.each(rows.map((row) => [row.id, row] as const))("%s: batch bound", (id, row) => {
    const entry = Catalogue.find(id)!
    expect(entry.batch?.field).toBe(row.batch?.field)
    expect(entry.batch?.max).toBe(row.batch?.max ?? undefined)
    expect(entry.batch?.min).toBe(row.batch?.min ?? undefined)
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

  test("the OpenAPI document is a valid one", async () => {
    const document = JSON.parse(JSON.stringify(Catalogue.openApi()))
    const { errors, valid } = await new Validator().validate(document)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  test("operations that share a bucket declare the same limits and the same cost of a refusal", () => {
    const groups = new Map<string, unknown>()
    for (const { cost4xx, id, limitGroup, limits } of Catalogue.operations) {
      const declared = { limits, cost4xx }
      expect(declared, id).toEqual(groups.get(limitGroup) ?? declared)
      groups.set(limitGroup, declared)
    }
    expect([...groups.keys()].sort()).toEqual(Object.keys(contract.limitGroups).sort())
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
    for (const { notes = [] } of rows) for (const id of notes) expect(FieldNotes.of(id), id).toBeDefined()
  })
})
