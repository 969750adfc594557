/** Which files an editor tells of, in the pattern that it is given: those that the program reads, and no others. */
import { expect, it } from "vitest"
import { watched } from "../../src/editor/Server.js"
import * as Kinds from "../../src/engine/language/shape/Kinds.js"

/** The part of patterns that is used: any path, and a choice of endings with letters of either case. */
const matches = (path: string): boolean => {
  const [, endings = ""] = /^\*\*\/\*\.\{(.*)\}$/.exec(watched) ?? []
  return new RegExp(`\\.(${endings.replaceAll(",", "|")})$`).test(path)
}

it.each(["a.yaml", "a.Yaml", "a.YML", "b/a.yMl", "_shared/economics.CSV", "_shared/Economics.Xlsx"])(
  "%s is watched, for it is read",
  (path) => {
    expect(Kinds.isYaml(path) || Kinds.isTable(path)).toBe(true)
    expect(matches(path)).toBe(true)
  }
)

it.each(["a.yaml.bak", "ayaml", "a.txt"])("%s is not watched, for it is not read", (path) => {
  expect([Kinds.isYaml(path), matches(path)]).toEqual([false, false])
})
