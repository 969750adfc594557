/** Bundles the program once for all tests of faults, where `vitest.faults.config.ts` tells them to look. */
import { execFileSync } from "node:child_process"

export default function build(): void {
  execFileSync(process.execPath, ["build.mjs", "node_modules/.cache/faults"])
}
