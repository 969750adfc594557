/** How long a folder of 1,000 policies takes to load: over bare YAML parsing of the same texts, and once more. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { parseDocument } from "yaml"
import * as RuleFiles from "../../src/cli/rules/RuleFiles.js"
import * as Load from "../../src/engine/language/Load.js"
import { Reload } from "../../src/engine/language/Load.js"
import * as Yaml from "../../src/engine/language/yaml/Yaml.js"
import { median, type Verdict } from "./Figures.js"
import * as Rules from "./Rules.js"

const policies = 1000
const rounds = 9

export const run = (): ReadonlyArray<Verdict> => {
  const files = Rules.files(Rules.rules(policies))
  const bare: Array<number> = []
  const checked: Array<number> = []
  for (let round = -2; round < rounds; round++) {
    const yaml = timed(() => files.forEach((file) => void parseDocument(file.text, Yaml.options)))
    const own = timed(() => {
      if (Load.check(files).ruleSet === undefined) throw new Error("the rules have errors")
    })
    if (round < 0) continue
    bare.push(yaml)
    checked.push(own)
  }
  const ratio = median(checked) / median(bare)
  const { changed, unchanged } = reloads(files)
  return [
    { name: `${policies} policies over bare YAML`, value: ratio, goal: "≤ 1.3", holds: ratio <= 1.3 },
    { name: "an unchanged reload", value: unchanged, goal: "≤ 20", holds: unchanged <= 20, unit: " ms" },
    { name: "one policy changed, over YAML", value: changed / median(bare), goal: "", holds: true }
  ]
}

/** From the folder on disk: every file is read, and compared with what was read before. */
const reloads = (files: ReadonlyArray<Load.File>) => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-bench-"))
  try {
    mkdirSync(join(folder, "rules"))
    for (const { path, text } of files) writeFileSync(join(folder, path), text)
    const reload = new Reload()
    const read = () => reload.check(Effect.runSync(RuleFiles.find([folder])))
    read()
    const unchanged = Array.from({ length: rounds }, () => timed(read))
    const changed = Array.from({ length: rounds }, (_, round) => {
      const { path, text } = files[round]!
      writeFileSync(join(folder, path), text.replace("cooldown: 6h", `cooldown: ${7 + round}h`))
      return timed(read)
    })
    return { unchanged: median(unchanged), changed: median(changed) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const timed = (run: () => void): number => {
  const before = performance.now()
  run()
  return performance.now() - before
}
