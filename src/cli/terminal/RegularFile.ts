/**
 * Files that people name. Only regular ones are read: a pipe or a device would wait for somebody to write, and no signal
 * would end the wait.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats
} from "node:fs"
import { relative, sep } from "node:path"
import * as FileHints from "../../store/clients/FileHints.js"

/** What stands at the path is no regular file, and no folder either. */
export class Irregular extends Error {
  constructor(path: string, kind: string) {
    super(
      `${path} is a ${kind}, and no regular file; put its content into a file of its own, or take it away`
    )
  }
}

/** Opens a regular file for reading. Throws `Irregular`, or what the system says; of a folder that is EISDIR. */
export const open = (path: string): number => {
  // So that a pipe is opened at once, though nobody writes into it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    // Reading a folder fails by itself, in the system's words.
    if (!found.isFile() && !found.isDirectory()) throw new Irregular(path, kindOf(found))
    return file
  } catch (cause) {
    closeSync(file)
    throw cause
  }
}

/** Why what is there is no file to read; undefined when it is one, or nothing is there, or it cannot be opened. */
export const objection = (path: string): string | undefined => {
  try {
    closeSync(open(path))
    return undefined
  } catch (cause) {
    return cause instanceof Irregular ? cause.message : leadingNowhere(path, cause)
  }
}

/** Of a link to what is not there, or to itself. */
const leadingNowhere = (path: string, cause: unknown): string | undefined =>
  /^(ENOENT|ELOOP)$/.test(FileHints.codeOf(cause) ?? "") &&
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? `${path} is a link to ${readlinkSync(path)}, where nothing is; put the file there, or take the link away`
    : undefined

/** The bytes of a regular file; throws as `open` does. */
export const read = (path: string): Buffer => {
  const file = open(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Why a file could not be read, as a sentence that names it; the system's own words where nobody knows better. */
export const why = (path: string, cause: unknown): string => {
  if (cause instanceof Irregular) return cause.message
  switch (FileHints.codeOf(cause)) {
    case "ENOENT":
    case "ENOTDIR":
      return `there is no file ${path}`
    case "EISDIR":
      return `${path} is a folder, and no file; name a file in it`
    case "EACCES":
    case "EPERM":
      return `this user may not read ${path}; check its owner and permissions`
    default:
      return `${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** The same as text. */
export const readText = (path: string): string => read(path).toString("utf8")

/** Where a link leads to, when that is out of the folder it is met in; undefined for whatever is no such link. */
export const linkedOut = (path: string, folder: string): string | undefined => {
  if (!lstatSync(path).isSymbolicLink()) return undefined
  const target = realpathSync(path)
  const way = relative(realpathSync(folder), target)
  return way === ".." || way.startsWith(`..${sep}`) || way === target ? target : undefined
}

const kindOf = (found: Stats): string =>
  found.isFIFO()
    ? "pipe"
    : found.isSocket()
      ? "socket"
      : found.isCharacterDevice() || found.isBlockDevice()
        ? "device"
        : "thing"
