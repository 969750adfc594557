/** The built program: bundled when the first test asks for a process of it, once for a whole run of vitest. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..", "..")

/** The program's file. */
export const program = (): string => {
  const folder = process.env.BIDHELM_TEST_BUNDLE
  if (folder === undefined) throw new Error("the configuration of vitest names no folder for the program")
  const file = join(folder, "bidhelm.js")
  while (!existsSync(file)) build(folder)
  return file
}

/** What building may take on a busy machine: more than a test has. A file whose tests start a process asks for it `beforeAll`. */
export const withinMs = 300_000

/** Builds, or waits for the worker that does; one that fails leaves it to the next. */
const build = (folder: string): void => {
  const building = `${folder}.building`
  if (!claims(building)) {
    pause()
    return
  }
  try {
    // Another one may have built it and gone just before.
    if (existsSync(folder)) return
    execFileSync(process.execPath, ["build.mjs", join(building, "program"), "--program"], { cwd: root })
    renameSync(join(building, "program"), folder)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
}

/** Makes the folder, or sees that another worker has made it. After a fresh install there is nothing above it yet. */
export const claims = (building: string): boolean => {
  mkdirSync(dirname(building), { recursive: true })
  try {
    mkdirSync(building)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

const pause = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
}
