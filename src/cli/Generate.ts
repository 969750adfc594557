/** `npm run generate`: writes the documents that are made from declarations, so that they cannot disagree with them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as PlanSchema from "../engine/decide/PlanSchema.js"
import * as RuleSchema from "../engine/language/Schema.js"
import * as Catalogue from "../services/Catalogue.js"

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const documents: Readonly<Record<string, () => string>> = {
  "docs/operations.md": () => `${Catalogue.markdown().trimEnd()}\n`,
  "docs/openapi.json": () => json(Catalogue.openApi()),
  "docs/plan.schema.json": () => json(PlanSchema.make()),
  ".schema/policy.v1.json": () => RuleSchema.print("policy"),
  ".schema/limits.v1.json": () => RuleSchema.print("limits")
}

for (const [path, make] of Object.entries(documents)) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, make())
}
