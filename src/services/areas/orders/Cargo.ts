/** Dimensional type of orders and supplies (not-shown §4.3): a number in the lists, a word in the archive. */
import * as State from "../State.js"

export type Cargo = ReturnType<typeof read>
const read = State.reader(["small", "oversize", "bulky"])

const byCode: ReadonlyMap<number, string> = new Map([
  [1, "small"],
  [2, "oversize"],
  [3, "bulky"]
])
const byArchiveText: ReadonlyMap<string, string> = new Map([
  ["mgt", "small"],
  ["sgt", "oversize"],
  ["kgtPlus", "bulky"]
])

/** `cargoType` of orders and supplies. */
export const fromCode = (code: number | undefined): Cargo =>
  read(code === undefined ? undefined : (byCode.get(code) ?? String(code)))

/** `cargoType` of the archive. */
export const fromArchiveText = (text: string | undefined): Cargo =>
  read(text === undefined ? undefined : (byArchiveText.get(text) ?? text))
