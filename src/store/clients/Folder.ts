/** Folders of the store's files. */
import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as FileHints from "./FileHints.js"

/** Whether a folder is there, and no file; false also of one that this user may not look at. */
export const isThere = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The folder on the way to a path that this user may not look into: nobody can tell what is in it. */
export const shutOn = (path: string): string | undefined => {
  try {
    statSync(path)
    return undefined
  } catch (error) {
    if (FileHints.codeOf(error) !== "EACCES") return undefined
    const folder = dirname(resolve(path))
    return shutOn(folder) ?? folder
  }
}

/** What to say of such a folder. */
export const shutText = (folder: string): string =>
  `this user may not look into the folder ${folder}; check owner and permissions`

/**
 * Makes a folder and those that it is in, for this user alone; those that are there stay as they are. Step by step:
 * where no folder can be made, as below /proc, Node's own way of making several never ends.
 */
export const make = (folder: string): void => {
  const path = resolve(folder)
  if (isThere(path)) return
  if (dirname(path) !== path) make(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isThere(path)) throw error
  }
}
