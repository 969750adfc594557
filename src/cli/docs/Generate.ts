/** `npm run generate`: writes the documents that are made from declarations. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as Documents from "./Documents.js"

for (const [path, text] of Object.entries(Documents.all())) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
