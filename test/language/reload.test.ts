import { assert, describe, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { Reload } from "../../src/engine/language/Load.js"

const file = (id: string, cap: string): Load.File => ({
  path: `rules/${id}.yaml`,
  text: `version: 1
name: Raise ${id}
schedule: {every: 1d, tz: Europe/Moscow}
each: cluster
where: campaign.status = active and campaign.payment = cpm
window: 7d
when: orders >= 3
do:
  raise_bid: {by: 10%, cap: ${cap}}
`
})

describe("checking a folder again", () => {
  it("answers the same at once while no file has changed", () => {
    const reload = new Reload()
    const first = reload.check([file("a", "450 ₽"), file("b", "500 ₽")])
    assert.strictEqual(reload.check([file("a", "450 ₽"), file("b", "500 ₽")]), first)
  })

  it("answers as a first check would after a file was changed, added, moved or taken away", () => {
    const reload = new Reload()
    const folders = [
      [file("a", "450 ₽"), file("b", "500 ₽")],
      [file("a", "450 ₽"), file("b", "5%")],
      [file("a", "450 ₽"), file("b", "510 ₽"), file("c", "450 ₽")],
      [{ ...file("a", "450 ₽"), path: "rules/moved.yaml" }, file("b", "510 ₽")],
      [file("b", "510 ₽")],
      [{ ...file("b", "510 ₽"), garbled: true as const }],
      []
    ]
    for (const files of folders) {
      const again = reload.check(files)
      assert.deepStrictEqual(again, Load.check(files))
    }
    assert.isUndefined(reload.check(folders[1]!).ruleSet)
  })
})
