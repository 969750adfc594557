/** How much memory a program of a test had at most. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface PeakMemory {
  /** For the program: Node writes the number down as it ends. */
  readonly environment: Readonly<Record<string, string>>
  /** Of the last program that ended, MiB. */
  readonly mebibytes: () => number
  readonly remove: () => void
}

export const watch = (): PeakMemory => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-peak-"))
  const note = join(folder, "note.mjs")
  const peak = join(folder, "peak")
  // What getrusage tells begins with the memory of the process that forked this one; Linux tells the own peak as VmHWM.
  writeFileSync(
    note,
    `import { existsSync, readFileSync, writeFileSync } from "node:fs"
    const own = () => existsSync("/proc/self/status")
      ? /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]
      : String(process.resourceUsage().maxRSS)
    process.on("exit", () => writeFileSync(${JSON.stringify(peak)}, own()))`
  )
  return {
    environment: { NODE_OPTIONS: `--import=${note}` },
    mebibytes: () => Number(readFileSync(peak, "utf8")) / 1024,
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
