#!/usr/bin/env node
/**
 * The door of the program. The top-level help and the version are printed from a plain table, so that they take no
 * longer than Node itself; what is plain loads what it does, everything else the declarations of commands.
 */
import { fstatSync, writeSync } from "node:fs"
import * as Typed from "./cli/plain/Typed.js"
import * as V8 from "./cli/plain/V8.js"
import { helpText } from "./cli/terminal/TopHelp.js"
import { version } from "./cli/terminal/Version.js"

// Work that writes goes on without what it cannot print. Whoever reads a pipe may leave at any time (`| head`, a log collector that
// restarts) and misses nothing; of a full disk the process tells, and does not end as if all had been printed (`Process.main`).
process.stderr.on("error", () => undefined)
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || process.exitCode !== undefined) return
  process.exitCode = 1
  const why = fullDisk.has(error.code) ? "the disk of its file is full" : error.message
  process.stderr.write(`bidhelm: stdout was not written: ${why}\n`)
})
const fullDisk = new Set<string | undefined>(["ENOSPC", "EDQUOT"])

// Node takes a part for the whole where the disk has room for no more than that.
if (fstatSync(1).isFile())
  Object.assign(process.stdout, {
    _write: (text: Uint8Array, _: string, done: (error?: unknown) => void) => {
      try {
        for (let at = 0; at < text.length; ) at += writeSync(1, text, at)
      } catch (error) {
        return done(error)
      }
      done()
    }
  })

const [first, second] = process.argv.slice(2)
const alone = second === undefined

if (first === undefined || (alone && (first === "--help" || first === "-h" || first === "help"))) {
  process.stdout.write(helpText(version, process.stdout.isTTY ? process.stdout.columns : undefined))
} else if (alone && first === "--version") {
  process.stdout.write(`bidhelm ${version}\n`)
} else {
  const typed = Typed.read(process.argv.slice(2))
  if (typed !== undefined) (await import("./cli/plain/Bundle.js")).main(typed, import.meta.url)
  else {
    V8.tune()
    ;(await import("./cli/Program.js")).main(process.argv)
  }
}
