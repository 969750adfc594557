/** A key that does not belong where it stands: the message says which file is not loaded for it. */
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Trials from "../testing/Trials.js"

const said = (path: string, text: string): ReadonlyArray<string> =>
  Load.check([{ path, text: `version: 1\n${text}` }]).diagnostics.flatMap(({ code, message }) =>
    code === "K01" ? [message.replace(/^.*[.?] /, "")] : []
  )

it.each([
  ["Policy", "rules/01.yaml", "name: a\neach: cluster\nwhen: views > 5\ndo: add_minus\nfrobnicate: 1\n"],
  ["Policy", "rules/01.yaml", "name: a\neach: cluster\nwhen: views > 5\ndo: add_minus\naccount: 1\n"],
  ["Limits", "rules/_shared/limits.yaml", "kind: limits\naccount: {frobnicate: 1}\n"],
  ["Limits", "rules/_shared/limits.yaml", "kind: limits\naccount: {cooldown: 1h}\n"],
  ["Shared variables", "rules/_shared/vars.yaml", "kind: vars\nvars: {a: 1}\nfrobnicate: 1\n"],
  ["Templates", "rules/_shared/templates.yaml", "kind: templates\ntemplates: {a: {frobnicate: 1}}\n"],
  [
    "Own facts",
    "rules/_shared/own.yaml",
    "kind: facts\nsource: {csv: a.csv}\njoin: item.id = nm\nfields: {item.a: {column: a, type: money}}\nfrobnicate: 1\n"
  ],
  ["Fulfilment", "rules/13-fulfilment.yaml", "kind: fulfilment\nname: a\nfrobnicate: 1\n"]
])("%s of %s", (file, path, text) => {
  expect(said(path, text)).toEqual([`${file} not loaded.`])
})

it("speaks of tests in a file of tests", () => {
  const row = "rows: [{id: a, orders: 5, cpo: 80 ₽, bid: 300 ₽}]"
  const messages = ["cooldown: 1h", "frobnicate: 1"].flatMap((line) =>
    Trials.read(Trials.oneCase(row, line, "expect: []")).diagnostics.map(({ message }) => message)
  )
  expect(messages).toEqual([
    expect.stringMatching(/^"cooldown" does not belong here\. Possible: name, now, .* Tests not loaded\.$/),
    expect.stringMatching(/^Unknown key "frobnicate"\. .* Tests not loaded\.$/)
  ])
})
