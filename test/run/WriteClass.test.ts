import { describe, expect, it } from "vitest"
import * as WriteClass from "../../src/engine/door/WriteClass.js"
import * as Catalogue from "../../src/services/Catalogue.js"

describe("write classes", () => {
  it("are told for every operation that writes, and for no other but the report tasks", () => {
    const writes = Catalogue.operations.filter(
      ({ access, retry }) => access === "write" || retry === "verify"
    )
    expect(Object.keys(WriteClass.ofOperation).sort()).toEqual(writes.map(({ id }) => id).sort())
  })

  it("agree with the catalogue on what only a person may repeat", () => {
    const manual = Catalogue.operations.filter(({ retry }) => retry === "manual").map(({ id }) => id)
    for (const id of manual) expect("CDE").toContain(WriteClass.ofOperation[id])
  })
})
