/** Rule files checked over and over, by a program that watches its folder: what stayed the same is not read again. */
import * as Load from "./Load.js"

export class Reload {
  private files: ReadonlyArray<Load.File> = []
  private checked: Load.Checked | undefined
  /** By path, of the files last checked. */
  private opened: ReadonlyMap<string, Remembered> = new Map()

  /** As `Load.check`. Nothing is done for the same files as last time; of changed ones only the changed are opened. */
  check(files: ReadonlyArray<Load.File>): Load.Checked {
    if (this.checked !== undefined && isSame(files, this.files)) return this.checked
    const opened = new Map<string, Remembered>()
    const checked = Load.check(files, (file) => {
      const before = this.opened.get(file.path)
      const remembered =
        before !== undefined && isUnchanged(file, before.file) ? before : { file, opened: Load.open(file) }
      opened.set(file.path, remembered)
      return remembered.opened
    })
    this.files = files
    this.opened = opened
    this.checked = checked
    return checked
  }
}

interface Remembered {
  readonly file: Load.File
  readonly opened: Load.Opened
}

const isSame = (a: ReadonlyArray<Load.File>, b: ReadonlyArray<Load.File>): boolean =>
  a.length === b.length && a.every((file, at) => isUnchanged(file, b[at]!))

/** A table that was read once more is another one: its age may have changed. */
const isUnchanged = (a: Load.File, b: Load.File): boolean =>
  a.path === b.path && a.text === b.text && a.data === b.data
