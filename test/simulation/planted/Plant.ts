/**
 * A bug in the source itself: while the simulation is bundled, an exact text of a file below `src` is replaced, so the very
 * line is tried, and nothing in `src` knows of it. A text that is not there, or is there twice, ends the build.
 */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { build, type Plugin } from "esbuild"
import { nodeFlags } from "../../NodeFlags.js"

/** One replacement. */
export interface Edit {
  /** Below `src`. */
  readonly file: string
  /** As it stands there, exactly once. */
  readonly text: string
  readonly instead: string
}

/** A file's text with an edit; throws when it does not say once what the edit replaces. */
export const edited = (source: string, { file, instead, text }: Edit): string => {
  const [before, after, ...more] = source.split(text)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `src/${file} has ${source.split(text).length - 1} times what a planted bug replaces once: write the edit anew\n${text}`
    )
  return `${before}${instead}${after}`
}

const planting = (edits: ReadonlyArray<Edit>): Plugin => ({
  name: "planted bug",
  setup: ({ onEnd, onLoad }) => {
    const left = new Set(edits)
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const own = edits.filter(({ file }) => path.replaceAll("\\", "/").endsWith(`/src/${file}`))
      if (own.length === 0) return undefined
      for (const edit of own) left.delete(edit)
      return { contents: own.reduce(edited, await readFile(path, "utf8")), loader: "ts" as const }
    })
    onEnd(() => ({
      errors: [...left].map(({ file }) => ({ text: `src/${file} is not part of the program` }))
    }))
  }
})

/** The simulation with a bug in its source, as one module. Its name is in it, so that it is not taken for another. */
export const bundle = async (name: string, edits: ReadonlyArray<Edit>): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: ["test/simulation/Sim.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    logLevel: "silent",
    define: { [planted]: JSON.stringify(name) },
    plugins: [planting(edits)]
  })
  return outputFiles[0]!.text
}

const planted = "process.env.PLANTED_BUG"

/** Which bug is in the source that runs; undefined in the ordinary program. */
export const inThisSource = (): string | undefined => process.env.PLANTED_BUG

/**
 * Runs a module, or the file of this process, with arguments, and tells each line that it prints until `tell` answers
 * false: then it is ended.
 */
export const run = (
  module: string | undefined,
  args: ReadonlyArray<string>,
  tell: (line: string) => boolean
): Promise<void> =>
  new Promise((resolve, reject) => {
    // A module on stdin finds its packages from the working directory, wherever that may be written to or not.
    const program = module === undefined ? [process.argv[1]!] : ["--input-type=module", "-"]
    const child = spawn(process.execPath, [...nodeFlags, ...program, ...args], {
      stdio: [module === undefined ? "ignore" : "pipe", "pipe", "inherit"]
    })
    child.stdin?.on("error", () => undefined).end(module)
    let rest = ""
    let isOver = false
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines)
        if (!isOver && !tell(line)) {
          isOver = true
          child.kill("SIGKILL")
        }
    })
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 || isOver
        ? resolve()
        : reject(new Error(`the simulation with ${args.join(" ")} ended with ${code}`))
    )
  })
