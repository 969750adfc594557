import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"
import * as Schema from "../../src/engine/language/shape/JsonSchema.js"
import * as Keys from "../../src/engine/language/shape/Keys.js"
import { folder } from "./Rules.js"

const shipped = folder("rules")
const pause = (name: string) =>
  `version: 1\nname: ${name}\neach: campaign\nwhen: spend[today] > 100 ₽\ndo: pause\n`

describe("the shipped rules", () => {
  const { ruleSet, diagnostics } = Load.check(shipped)
  it("have no problem", () => expect(Render.text(diagnostics, shipped)).toBe(""))
  it("are sixteen policies, seven of which act at once, limits, and a disabled one for orders", () => {
    expect(ruleSet?.fulfilment).toEqual([])
    expect(ruleSet?.policies.map(({ id, rules, mode }) => [id, rules[0]?.action._tag, mode])).toEqual([
      ["01-raise-to-reach-max", "RaiseBid", "apply"],
      ["02-minus-low-ctr", "AddMinus", "apply"],
      ["03-daily-budget-stop", "Pause", "apply"],
      ["04-target-acos", "LowerBid", "apply"],
      ["05-evening-boost", "AdjustBid", "disabled"],
      ["06-hold-position", "RaiseBid", "disabled"],
      ["07-stock-pause", "Pause", "disabled"],
      ["08-budget-topup", "Deposit", "disabled"],
      ["09-join-promotions", "Enrol", "disabled"],
      ["10-optimise", "Optimise", "disabled"],
      ["11-raise-while-profitable", "RaiseBid", "disabled"],
      ["12-steer-to-break-even", "LowerBid", "disabled"],
      ["14-target-acos-per-click", "LowerBid", "apply"],
      ["15-lower-dear-clusters", "LowerBid", "apply"],
      ["16-rest-weak-clusters", "AddMinus", "apply"],
      ["17-pace-through-the-day", "Pause", "disabled"]
    ])
    expect(ruleSet?.limits).toMatchObject({
      maxBidKopecks: { cpm: 90_000, cpc: 4000 },
      changesPerRun: 20_000,
      movePerDayBasisPoints: 5000,
      killSwitch: false,
      neverTouch: [{ text: 'campaign.name matches "TEST*"' }],
      campaigns: [{ changesPerRun: 1000 }]
    })
  })
  it("give the same set in whatever order the files come", () => {
    expect(Load.check([...shipped].reverse())).toEqual(Load.check(shipped))
  })
  it("are checked well within 50 ms each", () => {
    const start = performance.now()
    for (let i = 0; i < 10; i++) Load.check(shipped)
    expect((performance.now() - start) / 10 / shipped.length).toBeLessThan(50)
  })
})

describe("a folder of files", () => {
  it("is loaded whole or not at all", () => {
    const { ruleSet, diagnostics } = Load.check([
      { path: "rules/a.yaml", text: pause("a") },
      { path: "rules/b.yaml", text: pause("b").replace("100 ₽", "100") }
    ])
    expect(ruleSet).toBeUndefined()
    expect(diagnostics.map(({ file, code }) => `${file} ${code}`)).toEqual(["rules/b.yaml E04"])
  })
  it("refuses two policies of one name, and limits in two files", () => {
    const limits = "version: 1\nkind: limits\naccount: {changes_per_run: 50}\n"
    const { diagnostics } = Load.check([
      { path: "rules/x/a.yaml", text: pause("a") },
      { path: "rules/y/a.yml", text: pause("a") },
      { path: "rules/_shared/limits.yaml", text: limits },
      { path: "rules/_shared/more.yaml", text: limits }
    ])
    expect(diagnostics.map(({ file, code }) => `${file} ${code}`)).toEqual([
      "rules/_shared/more.yaml K18",
      "rules/y/a.yml K18"
    ])
  })
  it("may be empty, and then holds no limits", () => {
    expect(Load.check([]).ruleSet).toMatchObject({
      policies: [],
      limits: { killSwitch: false, neverTouch: [] }
    })
  })
  it("changes its hash with a mode, a schedule or a limit", () => {
    const hash = (text: string, limits = "version: 1\nkind: limits\n") =>
      Load.check([
        { path: "a.yaml", text },
        { path: "_shared/limits.yaml", text: limits }
      ]).ruleSet?.hash
    const hashes = [
      hash(pause("a")),
      hash(`${pause("a")}mode: apply\n`),
      hash(`${pause("a")}schedule: {every: 1h}\n`),
      hash(pause("a"), "version: 1\nkind: limits\naccount: {kill_switch: true}\n")
    ]
    expect(new Set(hashes).size).toBe(4)
    expect(hash(pause("b"))).toBe(hashes[0])
  })
  it("understands Windows line ends and a byte order mark", () => {
    const text = `\ufeff${pause("a").replaceAll("\n", "\r\n")}`
    expect(Load.check([{ path: "a.yaml", text }]).diagnostics).toEqual([])
  })
  it("maps places through quotes, escapes and folded lines", () => {
    const text = `version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen:\n  - "query contains \\"x\\" and vews > 5"\n  - >-\n    orders > 3 and\n    clcks > 5\ndo: add_minus\n`
    const at = Load.check([{ path: "a.yaml", text }]).diagnostics.map(({ code, span }) => [
      code,
      span.line,
      span.column
    ])
    expect(at).toEqual([
      ["E01", 6, 31],
      ["E01", 9, 5]
    ])
  })
})

describe("the JSON Schema for editors", () => {
  const policy: unknown = JSON.parse(Schema.print("policy"))
  const limits: unknown = JSON.parse(Schema.print("limits"))
  it("is draft-07 and accepts every shipped file", () => {
    expect(policy).toMatchObject({ $schema: "http://json-schema.org/draft-07/schema#" })
    const vars: unknown = JSON.parse(Schema.print("vars"))
    const fulfilment: unknown = JSON.parse(Schema.print("fulfilment"))
    const others = { "vars.yaml": vars, "limits.yaml": limits, "13-fulfilment.yaml": fulfilment }
    for (const { path, text } of shipped) {
      const schema = Object.entries(others).find(([name]) => path.endsWith(name))?.[1] ?? policy
      expect(validate(schema, parse(text)), path).toEqual([])
    }
  })
  it("takes variables of every kind, in a policy and in a file of their own", () => {
    const vars = { daily: "3000 ₽", few: 5, brand: ["кеды", 42], shown: true }
    const base = parse(shipped.find(({ path }) => path.includes("01-"))?.text ?? "")
    expect(validate(policy, { ...base, vars })).toEqual([])
    const file: unknown = JSON.parse(Schema.print("vars"))
    expect(validate(file, { version: 1, kind: "vars", vars })).toEqual([])
    expect(validate(file, { version: 1, kind: "vars", vars, account: {} })).not.toEqual([])
  })
  it("asks for when: and do: only where there are no rules:", () => {
    const { when, do: action, ...base } = parse(shipped.find(({ path }) => path.includes("02-"))?.text ?? "")
    expect(validate(policy, base)).not.toEqual([])
    expect(validate(policy, { ...base, when })).not.toEqual([])
    expect(validate(policy, { ...base, rules: [{ when, do: action }] })).toEqual([])
    expect(validate(policy, { ...base, rules: [{ when }] })).not.toEqual([])
  })
  it("refuses unknown keys, missing caps and two actions", () => {
    const base = parse(shipped.find(({ path }) => path.includes("02-"))?.text ?? "")
    expect(validate(policy, { ...base, whne: "x" })).not.toEqual([])
    expect(validate(policy, { ...base, do: { raise_bid: { by: "10%" } } })).not.toEqual([])
    expect(validate(policy, { ...base, do: { pause: {}, start: {} } })).not.toEqual([])
    expect(validate(policy, { ...base, do: "stop" })).not.toEqual([])
  })
  it("knows exactly the keys the raw-text checks know", () => {
    const keys = new Set<string>()
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key === "properties" && typeof inner === "object" && inner !== null) {
          for (const name of Object.keys(inner)) keys.add(name)
        }
        collect(inner)
      }
    }
    collect(policy)
    collect(limits)
    for (const kind of ["templates", "facts", "fulfilment"] as const) collect(JSON.parse(Schema.print(kind)))
    expect([...Keys.all].sort()).toEqual([...keys].sort())
  })
})

/** The few words of JSON Schema that `Schema.print` uses; answers the paths that do not fit. */
const validate = (schema: unknown, value: unknown, path = "$"): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  const s = schema as Record<string, unknown>
  if ("$ref" in s) return [`${path}: $ref is not expected`]
  if ("not" in s) return validate(s.not, value, path).length > 0 ? [] : [`${path}: fits what it must not`]
  if ("if" in s) {
    const { if: condition, then: more, ...rest } = s
    const holds = validate(condition, value, path).length === 0
    return [...validate(rest, value, path), ...(holds ? validate(more, value, path) : [])]
  }
  const list = (x: unknown): ReadonlyArray<unknown> => (Array.isArray(x) ? x : [])
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  const wanted = s.type === "integer" ? "number" : s.type
  if (wanted !== undefined && wanted !== kind) return [`${path}: ${kind} is not ${String(s.type)}`]
  if ("enum" in s && !list(s.enum).includes(value)) return [`${path}: not one of the words`]
  if ("anyOf" in s && !list(s.anyOf).some((one) => validate(one, value, path).length === 0))
    return [`${path}: no variant`]
  if (kind === "array") return list(value).flatMap((item, i) => validate(s.items, item, `${path}[${i}]`))
  if (kind !== "object") return []
  const map = value as Record<string, unknown>
  const properties = (s.properties ?? {}) as Record<string, unknown>
  const count = Object.keys(map).length
  return [
    ...list(s.required).flatMap((key) => (String(key) in map ? [] : [`${path}.${String(key)} is missing`])),
    ...(count < Number(s.minProperties ?? 0) || count > Number(s.maxProperties ?? 99)
      ? [`${path}: ${count} keys`]
      : []),
    ...Object.entries(map).flatMap(([key, inner]) =>
      key in properties
        ? validate(properties[key], inner, `${path}.${key}`)
        : s.additionalProperties === false
          ? [`${path}.${key} is unknown`]
          : []
    )
  ]
}

describe("a policy with warnings only", () => {
  it("is loaded all the same", () => {
    const warned = folder("test/broken").filter((file) => {
      const { diagnostics } = Load.check([file])
      return diagnostics.length > 0 && diagnostics.every(({ severity }) => severity === "warning")
    })
    expect(warned.length).toBeGreaterThan(5)
    const lost = warned.filter((file) => Load.check([file]).ruleSet === undefined)
    expect(lost.map(({ path }) => path)).toEqual([])
    const empty = warned
      .filter(({ text }) => /^each:/m.test(text))
      .filter((file) => {
        const own = Load.check([file]).ruleSet?.policies.filter(({ isOfLimits }) => isOfLimits !== true)
        return own?.length !== 1
      })
    expect(empty.map(({ path }) => path)).toEqual([])
  })
})
