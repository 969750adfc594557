/** The shipped dashboard and alerts speak only of figures and labels that exist, and the docs explain every figure. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as CycleFigures from "../../src/cli/daemon/CycleFigures.js"
import * as Figures from "../../src/domain/Figures.js"

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: ReadonlyArray<{
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
  }>
}
interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<"summary" | "why" | "do", string>>
}

const dashboard = JSON.parse(readFileSync("ops/grafana/bidhelm.json", "utf8")) as {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string }> }
  readonly panels: ReadonlyArray<Panel>
}
const alerts = parse(readFileSync("ops/prometheus/alerts.yaml", "utf8"), { strict: true }) as {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly rules: ReadonlyArray<Alert> }>
}
const rules = alerts.groups.flatMap((group) => group.rules)
const guide = readFileSync("docs/operations/monitoring.md", "utf8")

/** Names with those of a histogram's parts, and the labels of each. */
const known = new Map(
  Figures.all.flatMap(({ kind, labels, name }) =>
    kind === "histogram"
      ? [
          [`${name}_bucket`, [...labels, "le"]] as const,
          [`${name}_sum`, labels] as const,
          [`${name}_count`, labels] as const
        ]
      : [[name, labels] as const]
  )
)

/** What is wrong with an expression: unknown figures, labels that a figure has not, brackets that do not close. */
const wrong = (expr: string): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const names = expr.match(/\bbidhelm_\w+/g) ?? []
  if (names.length === 0) problems.push("no figure")
  for (const name of names) if (!known.has(name)) problems.push(`no figure ${name}`)
  for (const [, name = "", inner = ""] of expr.matchAll(/(bidhelm_\w+)\{([^}]*)\}/g)) {
    for (const [, label = ""] of inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
      if (known.get(name)?.includes(label) !== true) problems.push(`${name} has no ${label}`)
    }
  }
  const all = new Set(names.flatMap((name) => known.get(name) ?? []))
  for (const [, list = ""] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(",").map((one) => one.trim())) {
      if (!all.has(label)) problems.push(`nothing has ${label}`)
    }
  }
  for (const [open, close] of ["()", "{}", "[]"].map((pair) => [...pair])) {
    if (expr.split(open ?? "").length !== expr.split(close ?? "").length)
      problems.push(`${open} without ${close}`)
  }
  const counters = Figures.all.filter(({ kind }) => kind === "counter").map(({ name }) => name)
  for (const name of names) {
    const isRated = new RegExp(`(rate|increase)\\(${name}(\\{[^}]*\\})?\\[`).test(expr)
    if (counters.includes(name) && !isRated) problems.push(`${name} only grows: use rate or increase`)
  }
  return problems
}

describe("the check of expressions", () => {
  it.each([
    ["sum(bidhelm_no_such_figure)", "no figure"],
    ['bidhelm_lag_seconds{operation="a"}', "has no operation"],
    ["sum by (operation) (bidhelm_lag_seconds)", "nothing has operation"],
    ["sum(bidhelm_lag_seconds", "without"],
    ["bidhelm_calls_total > 3", "only grows"]
  ])("finds what is wrong with %s", (expr, what) => {
    expect(wrong(expr).join()).toContain(what)
  })
})

describe("the dashboard", () => {
  const panels = dashboard.panels.filter(({ type }) => type !== "row")

  it("asks only for figures and labels that exist", () => {
    const problems = panels.flatMap(({ targets, title }) =>
      (targets ?? []).flatMap(({ expr }) => wrong(expr).map((what) => `${title}: ${what}`))
    )
    expect(problems).toEqual([])
    expect(panels.every(({ targets }) => (targets ?? []).length > 0)).toBe(true)
  })

  it("shows every figure", () => {
    const asked = panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr)).join("\n")
    expect(Figures.all.map(({ name }) => name).filter((name) => !asked.includes(name))).toEqual([])
  })

  it("is one that Grafana reads: ids once, no panel over another, legends of labels that are there", () => {
    expect(dashboard).toMatchObject({ title: "Bidhelm", uid: "bidhelm", schemaVersion: 39 })
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "account"])
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = new Set<string>()
    for (const { gridPos, title } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x}/${y}`), `${title} lies over another`).toBe(false)
          cells.add(`${x}/${y}`)
        }
      }
    }
    const labels = new Set([...Figures.all.flatMap((figure) => [...figure.labels]), "instance"])
    for (const { targets } of panels) {
      for (const { legendFormat } of targets ?? []) {
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? "")
        expect(named.filter((label) => !labels.has(label))).toEqual([])
      }
    }
  })
})

describe("the alerts", () => {
  it("ask only for figures and labels that exist", () => {
    expect(rules.flatMap(({ alert, expr }) => wrong(expr).map((what) => `${alert}: ${what}`))).toEqual([])
  })

  it("have a name of their own, a severity, a reason and what to do", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, annotations, labels, ...rule } of rules) {
      expect(alert).toMatch(/^Bidhelm[A-Za-z]+$/)
      expect(["page", "ticket"]).toContain(labels.severity)
      expect(rule.for ?? "1m").toMatch(/^\d+[mh]$/)
      for (const key of ["summary", "why", "do"] as const)
        expect(annotations[key].length, alert).toBeGreaterThan(10)
    }
  })

  it("tell of outcomes that calls and cycles have", () => {
    const values = rules.flatMap(({ expr }) => [...expr.matchAll(/outcome=~?"([^"]*)"/g)])
    const outcomes = values.flatMap(([, list = ""]) => list.split("|"))
    const real =
      "ok refused not_sent unauthorised forbidden throttled unavailable undecodable transport limit_stopped withheld interrupted misshapen done stopping limited unreachable storefailed busy broken"
    expect(outcomes.filter((one) => !real.split(" ").includes(one))).toEqual([])
    expect(outcomes.length).toBeGreaterThan(0)
  })
})

describe("the guide", () => {
  it("explains every figure, every alert and every reason for holding", () => {
    const wanted = [
      ...Figures.all.map(({ name }) => `\`${name}\``),
      ...rules.map(({ alert }) => alert),
      ...CycleFigures.reasons.map((reason) => `\`${reason}\``)
    ]
    expect(wanted.filter((name) => !guide.includes(name))).toEqual([])
  })

  it("names no figure that there is not", () => {
    const named = [...guide.matchAll(/\bbidhelm_[a-z_]+/g)].map(([name]) => name)
    const all = new Set([...Figures.all.map(({ name }) => name), ...known.keys()])
    expect(named.filter((name) => !all.has(name))).toEqual([])
  })
})
