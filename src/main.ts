#!/usr/bin/env node
/**
 * The door of the program. The top-level help and the version are printed from a plain table, so that they take no
 * longer than Node itself; what is plain loads what it does, everything else the declarations of commands.
 */
import * as Typed from "./cli/plain/Typed.js"
import * as V8 from "./cli/plain/V8.js"
import { helpText } from "./cli/terminal/TopHelp.js"
import { version } from "./cli/terminal/Version.js"

// Whoever reads a pipe may leave at any time (`| head`, a log collector that restarts). Work that writes goes on without it.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
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
