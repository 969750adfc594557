/** What a person can do about a file that cannot be written where they want it: a backup, apart from the store. */
import { existsSync } from "node:fs"
import { dirname } from "node:path"

/** By the system's error code; undefined for what is best told in the system's own words. */
export const of = (path: string, code: string | undefined): string | undefined =>
  code === undefined ? undefined : byCode[code]?.(path, folderOf(path))

/** The system's code of an error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** The path that the system names in an error; undefined where it names none. */
export const pathOf = (error: unknown): string | undefined =>
  error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined

/** A path that ends in a slash names a folder itself. */
const folderOf = (path: string): string => dirname(`${path}.`)

const denied = (_: string, folder: string): string =>
  `this user may not write into the folder ${folder}; check its owner and permissions, or choose another folder`
const full = (_: string, folder: string): string =>
  `the disk of the folder ${folder} is full; free some space or choose a folder on another disk, then run again: nothing is half written`

const byCode: Readonly<Record<string, (path: string, folder: string) => string | undefined>> = {
  EACCES: denied,
  EDQUOT: full,
  EEXIST: (path) => `${path} exists, and a backup never replaces another; choose another name`,
  EFBIG: (_, folder) =>
    `the disk of the folder ${folder} takes no file this large; choose a folder on another disk`,
  EIO: (_, folder) => `the disk of the folder ${folder} failed; check it, or choose a folder on another disk`,
  ENAMETOOLONG: (path) => `the name ${path} is too long; choose a shorter one`,
  ENOENT: (_, folder) =>
    existsSync(folder)
      ? undefined
      : `there is no folder ${folder}; make it first: mkdir -p ${quoted(folder)}`,
  ENOSPC: full,
  ENOTDIR: (_, folder) => `${folder} is a file, or goes through one, and no folder; choose another name`,
  EPERM: denied,
  EROFS: (_, folder) => `the disk of the folder ${folder} can only be read; choose a folder on another disk`
}

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
