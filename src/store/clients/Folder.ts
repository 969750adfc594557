/** Folders of the store's files. */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** Whether a folder is there, and no file. */
export const isThere = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

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
