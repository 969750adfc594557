/**
 * Commands of a page, as a reader would type them: the blocks marked `sh run`, in order, in one shell. A command that
 * fails ends it. A block marked `sh set` holds what is the reader's own, and is replaced.
 */
import { spawn } from "node:child_process"
import { type Ended, ended } from "../cli/Shop.js"

export interface Block {
  /** The words after the fence. */
  readonly mark: string
  readonly text: string
  /** Line of the page, counted from 1. */
  readonly line: number
}

export const blocks = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    mark: match[1] ?? "",
    text: match[2] ?? "",
    line: page.slice(0, match.index).split("\n").length
  }))

export interface Told {
  /** What each block that was run printed, by its line. */
  readonly said: ReadonlyMap<number, string>
  readonly end: Ended
}

/** Runs the blocks of a page; `own` stands for what the reader would set. */
export const follow = async (
  page: string,
  options: { readonly cwd: string; readonly env: Record<string, string>; readonly own?: string }
): Promise<Told> => {
  const wanted = blocks(page).filter(({ mark }) => mark === "sh run" || mark === "sh set")
  const script = [
    "set -E",
    `trap 'code=$?; echo "$BASH_COMMAND: exit $code" >&2; exit 1' ERR`,
    ...wanted.flatMap(({ line, mark, text }) => [
      // An answer over HTTP ends without a line's end; the mark begins a line all the same.
      `printf '\\n%s\\n' "${marker}${line}"`,
      mark === "sh set" ? (options.own ?? "") : text
    ])
  ].join("\n")
  const shell = spawn("bash", ["-c", script], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  // What a page leaves running ends with its group.
  shell.once("exit", () => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL")
    } catch {
      // Nobody is left.
    }
  })
  const end = await ended(shell)
  const parts = end.stdout.split(new RegExp(`^${marker}(\\d+)\\n`, "m")).slice(1)
  const said = new Map<number, string>()
  for (let i = 0; i + 1 < parts.length; i += 2) said.set(Number(parts[i]), parts[i + 1] ?? "")
  return { said, end }
}

const marker = "=== the block at line "
