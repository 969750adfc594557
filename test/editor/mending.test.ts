import { describe, expect, it } from "vitest"
import * as Mending from "../../src/editor/Mending.js"
import { Project } from "../../src/editor/Project.js"
import * as Format from "../../src/engine/language/format/Format.js"
import * as Mend from "../../src/engine/language/format/Mend.js"
import { isError } from "../../src/engine/language/problems/Diagnostic.js"
import * as Mutations from "../language/Mutations.js"
import * as Rules from "../language/Rules.js"
import { changed } from "./Editor.js"

const everywhere = { start: { line: 0, character: 0 }, end: { line: 9999, character: 0 } }
const path = "rules/a.yaml"
const broken = Rules.folder("test/broken").map(({ text }) => text)
const shipped = Rules.folder("rules").map(({ text }) => text)

describe("problems", () => {
  it("stand where the check says, in UTF-16 units, behind a byte order mark and before Windows line ends", () => {
    const text =
      '\ufeffversion: 1\r\nname: "😀"\r\neach: cluster\r\nwindow: 7d\r\nwhen: query contains "😀" and ctr < 0.01\r\ndo: add_minus\r\n'
    const [problem] = Mending.problems(new Project([{ path, text }]), path)
    expect(problem).toMatchObject({ code: "E03", severity: "error" })
    expect(problem?.range).toEqual({ start: { line: 4, character: 36 }, end: { line: 4, character: 40 } })
  })

  it("of tests come once the rules have no error", () => {
    const rule = {
      path,
      text: "version: 1\nname: a\neach: campaign\ncooldown: 6h\nwindow: 7d\nwhen: spend > 5 ₽\ndo: pause\n"
    }
    const test = { path: "rules/tests/a.test.yaml", text: "version: 1\nkind: tests\npolicy: b\ncases: []\n" }
    const codes = (text: string) =>
      Mending.problems(new Project([{ path, text }, test]), test.path).map(({ code }) => code)
    expect(codes(rule.text)).toEqual(["T01", "T02"])
    expect(codes(rule.text.replace("spend", "spnd"))).toEqual([])
  })
})

describe("quick fixes", () => {
  it("clear their problem, each alone", () => {
    let fixes = 0
    for (const text of broken) {
      const project = new Project([{ path, text }])
      for (const { edits, problem, title } of Mending.fixes(project, path, everywhere)) {
        fixes++
        expect(title).not.toBe("")
        const after = new Project(changed([{ path, text }], new Map([[path, edits]])))
        const same = Mending.problems(after, path).filter(
          ({ code, message }) => code === problem.code && message === problem.message
        )
        const before = Mending.problems(project, path).filter(
          ({ code, message }) => code === problem.code && message === problem.message
        )
        expect(same.length).toBeLessThan(before.length)
      }
    }
    expect(fixes).toBeGreaterThan(15)
  })

  it("stand only at the place that is asked about", () => {
    const text =
      "version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen:\n  - vews > 5\n  - odrers = 0\ndo: add_minus\n"
    const at = { start: { line: 6, character: 5 }, end: { line: 6, character: 5 } }
    expect(Mending.fixes(new Project([{ path, text }]), path, at).map(({ title }) => title)).toEqual([
      "Write orders instead of odrers"
    ])
  })

  it("all together do what check --fix does", () => {
    const next = Mutations.random(5)
    for (let round = 0; round < 120; round++) {
      const text = Mutations.mutant(broken, next)
      const edits = Mending.all(new Project([{ path, text }]), path)
      const made = changed([{ path, text }], new Map([[path, edits]]))
      expect(made[0]?.text).toBe(Mend.mend([{ path, text }]).files[0]?.text)
    }
  })
})

describe("formatting", () => {
  it("gives edits that make exactly what fmt writes, and touches no line that stays", () => {
    const next = Mutations.random(6)
    const samples = [...shipped, ...shipped.map((text) => text.replace(/: /g, ":  ").replace(/ >= /g, ">="))]
    let rewritten = 0
    for (let round = 0; round < 150; round++) {
      const text = round < samples.length ? samples[round]! : Mutations.mutant(samples, next)
      const formatted = Format.format({ path, text })
      const edits = Mending.format(new Project([{ path, text }]), path)
      const wanted = formatted._tag === "Formatted" ? formatted.text : text
      expect(changed([{ path, text }], new Map([[path, edits]]))[0]?.text).toBe(wanted)
      if (edits.length > 0) rewritten++
    }
    expect(rewritten).toBeGreaterThan(5)
    const text = "version: 1\nname: a\neach:  cluster\nwindow: 7d\nwhen: ctr < 1%\ndo:   add_minus\n"
    const lines = Mending.format(new Project([{ path, text }]), path).map(({ range }) => range.start.line)
    expect(lines).toEqual([2, 5])
  })
})

describe("a folder of 50 policies", () => {
  it("is looked through again after a change in well under 200 ms", () => {
    const isShared = ({ path }: { readonly path: string }) => path.includes("_shared")
    const policies = Rules.folder("rules").filter((file) => !isShared(file))
    const copies = Array.from({ length: 50 }, (_, index) => ({
      path: `rules/p${index}.yaml`,
      text: policies[index % policies.length]!.text.replace(/^name: .*$/m, `name: p${index}`)
    }))
    const files = [...copies, ...Rules.folder("rules").filter(isShared)]
    const run = (round: number): number => {
      const [first, ...rest] = files
      const changed = { ...first!, text: `${first!.text}# ${round}\n` }
      const before = process.cpuUsage()
      const project = new Project([changed, ...rest])
      expect(project.diagnostics.filter(isError)).toEqual([])
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1000
    }
    // The processor's time, not the clock's: other programs may be running.
    const times = Array.from({ length: 12 }, (_, round) => run(round))
    expect(Math.min(...times)).toBeLessThan(200)
  })
})
