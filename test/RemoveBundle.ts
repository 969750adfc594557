/** Removes what `test/cli/Bundle.ts` built, when all tests have ended. */
import { rmSync } from "node:fs"
import type { TestProject } from "vitest/node"

export default function setup({ config }: TestProject): () => void {
  const bundle = config.env.BIDHELM_TEST_BUNDLE
  if (bundle === undefined) throw new Error("the configuration of vitest names no folder for the program")
  return () => {
    for (const folder of [bundle, `${bundle}.building`]) rmSync(folder, { recursive: true, force: true })
  }
}
