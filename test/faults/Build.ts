/** Bundles the program once for all tests of faults, where `vitest.faults.config.ts` tells them to look. */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import type { TestProject } from "vitest/node"

export default function build({ config }: TestProject): () => void {
  const bundle = config.env.BIDHELM_TEST_BUNDLE
  if (bundle === undefined) throw new Error("vitest.faults.config.ts names no folder for the program")
  execFileSync(process.execPath, ["build.mjs", bundle])
  return () => rmSync(bundle, { recursive: true, force: true })
}
