/** A file that a person names for an answer: looked at before the work begins, and whole or not there at all afterwards. */
import { randomUUID } from "node:crypto"
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as FileHints from "../../store/clients/FileHints.js"
import { stop } from "./Stop.js"

/** What a command writes, by how it begins: only such a file is replaced. */
export interface Own {
  /** `plan`, as in "it is no plan". */
  readonly name: string
  readonly begins: RegExp
}

/**
 * Ends the command with 1 when the file cannot be written, before anything was asked: no limit and no minute is spent on
 * an answer that has no place. What a person keeps there is not replaced: anything but the command's `own`, or without that
 * rules, configuration and a store. `option` is what the person typed it behind: `--out`.
 */
export const ready = (path: string, option: string, own?: Own) =>
  Effect.try({
    try: () => {
      if (path === "") throw new Error("the name of the file is missing")
      const found = statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return tried(path)
      if (found.isDirectory())
        throw new Error(`it is a folder; name a file in it: ${option} ${join(path, "FILE")}`)
      accessSync(path, constants.W_OK)
      if (found.isFile() && found.size > 0 && !isReplaced(path, own))
        throw new Error(
          `it is ${own === undefined ? "a file of another kind" : `no ${own.name}`}, and is kept; choose another name`
        )
    },
    catch: (error) => stop(1, `${option} ${path} cannot be written: ${why(path, error)}. Nothing was done`)
  })

const isReplaced = (path: string, own: Own | undefined): boolean => {
  const head = headOf(path)
  return own === undefined
    ? !/\.ya?ml$/i.test(path) && !head.startsWith("SQLite format 3")
    : own.begins.test(head)
}

const headOf = (path: string): string => {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(64)
    return bytes.toString("latin1", 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/**
 * Writes the text or the bytes, all of it or nothing: what was under the name before stays when it fails. `mode` are the
 * permissions of the file, also of one that was there with others; without it those of before, or the user's usual ones.
 */
export const write = (path: string, text: string | Uint8Array, option: string, mode?: number) =>
  Effect.try({
    try: () => {
      const found = statSync(path, { throwIfNoEntry: false })
      // A pipe or a device has nothing to keep.
      if (found !== undefined && !found.isFile()) writeFileSync(path, text)
      else replace(found === undefined ? path : realpathSync(path), text, mode ?? modeOf(found))
    },
    catch: (error) => stop(1, `${option} ${path} was not written: ${why(path, error)}`)
  })

/**
 * Ends the command with 1 when nothing could be made at the place, whose missing folders are made later. `option` as
 * for `ready`.
 */
export const reachable = (path: string, option: string) =>
  Effect.try({
    try: () => {
      const place = resolve(path)
      const { folder, found } = nearest(there(place)?.isDirectory() === true ? place : dirname(place))
      if (!found.isDirectory()) throw new Error(`${folder} is a file and no folder; choose another place`)
      accessSync(folder, constants.W_OK | constants.X_OK)
    },
    catch: (error) => stop(1, `${option} ${path} cannot be written: ${why(path, error)}. Nothing was asked`)
  })

/** What is wrong with a path, and what a person can do about it; the system's own words where nobody knows better. */
export const why = (path: string, error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const code = FileHints.codeOf(error)
  if (code === "EISDIR") return "it is the name of a folder; name a file in it"
  if (code === "EEXIST") return "something has this name already; choose another one"
  if ((code === "EACCES" || code === "EPERM") && isFile(path))
    return "this user may not write this file; check its owner and permissions, or choose another name"
  return FileHints.of(path, code) ?? error.message
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The path, or the first folder above it that is there. */
const nearest = (path: string): { readonly folder: string; readonly found: Stats } => {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = there(folder)
    if (found !== undefined) return { folder, found }
    if (dirname(folder) === folder) throw new Error(`there is no folder ${folder}`)
  }
}

/** Below a file there is nothing either. */
const there = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (FileHints.codeOf(error) === "ENOTDIR") return undefined
    throw error
  }
}

/** Makes the file and takes it away again: permissions alone do not tell of disks that can only be read. */
const tried = (path: string): void => {
  closeSync(openSync(path, "wx"))
  rmSync(path)
}

const modeOf = (before: Stats | undefined): number | undefined =>
  before === undefined ? undefined : before.mode & 0o777

const replace = (target: string, text: string | Uint8Array, mode: number | undefined): void => {
  const beside = `${target}.${randomUUID().slice(0, 8)}.partial`
  try {
    writeFileSync(beside, text, { flag: "wx", flush: true, ...(mode === undefined ? {} : { mode }) })
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    // A file that may be written in a folder that may not, or one that is mounted by itself.
    if (!existsSync(target) || !inPlace.has(FileHints.codeOf(error) ?? "")) throw error
    if (mode !== undefined) chmodSync(target, mode)
    writeFileSync(target, text)
  }
}

const inPlace = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"])
