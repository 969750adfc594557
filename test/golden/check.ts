/** Compares text with a golden file; `UPDATE_GOLDEN=1 npm test` writes the files anew. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"

const folder = dirname(fileURLToPath(import.meta.url))

export const check = (name: string, actual: string): void => {
  const path = join(folder, name)
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(path, actual)
  const expected = existsSync(path)
    ? readFileSync(path, "utf8")
    : "(no golden file; run UPDATE_GOLDEN=1 npm test)"
  expect(actual).toBe(expected)
}
