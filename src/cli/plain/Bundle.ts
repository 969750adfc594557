/**
 * Where plain commands are in the built program: a script for each, and beside it what the machine made of it when it
 * was built. Another version of Node takes no notice of that, and makes its own.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import type { Typed } from "./Typed.js"
import * as V8 from "./V8.js"

/** A script is a function, of what a CommonJS module gets and its address. */
type Body = (module: Module, require: NodeJS.Require, url: string) => void

interface Module {
  readonly exports: { readonly main?: (typed: Typed) => void }
}

/** Does what was typed and ends the process with its exit code; `program` is the address of the program's own file. */
export const main = (typed: Typed, program: string): void => {
  V8.tuneShort()
  const url = new URL(`./plain/${typed.name}.cjs`, program).href
  const file = fileURLToPath(url)
  const made = `${file}.cache`
  const script = new Script(readFileSync(file, "utf8"), {
    filename: file,
    ...(existsSync(made) ? { cachedData: readFileSync(made) } : {})
  })
  const body: Body = script.runInThisContext()
  const module: Module = { exports: {} }
  body(module, createRequire(file), url)
  module.exports.main?.(typed)
}
