/** Replaces rule files on disk: whole or not at all, and only what was read. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

export interface Change {
  readonly path: string
  /** The text that was read. */
  readonly before: string
  readonly after: string
}

/**
 * Writes the new text beside the file and moves it over, with the file's mode; a link stays a link. Ends the
 * command with 1 when the file is not UTF-8, or is no longer what was read.
 */
export const rewrite = ({ after, before, path }: Change) =>
  Effect.try({
    try: () => {
      const target = realpathSync(path)
      if (!RegularFile.read(target).equals(Buffer.from(before, "utf8"))) {
        throw new Error("it is not UTF-8 text, or was changed meanwhile; it was left alone")
      }
      replace(target, after)
    },
    catch: (error) =>
      stop(1, `${path} was not written: ${error instanceof Error ? error.message : String(error)}`)
  })

const replace = (target: string, text: string): void => {
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.new`)
  const { mode } = statSync(target)
  try {
    const file = openSync(beside, "wx", mode & 0o777)
    try {
      fchmodSync(file, mode & 0o777)
      const bytes = Buffer.from(text, "utf8")
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
