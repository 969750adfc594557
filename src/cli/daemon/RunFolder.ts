/** Where a running `bidhelm run` leaves its lock and its door, beside the store. */
import { createHash } from "node:crypto"
import { lstatSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import * as FileHints from "../../store/clients/FileHints.js"
import type { Config } from "../config/Config.js"
import * as Person from "../terminal/Person.js"

type Placed = Pick<Config, "storeLink" | "storePath">

export const lock = (config: Placed): string => join(resolve(dirname(config.storePath)), "run.lock")

/** The lock of whoever packs a supply. */
export const packing = (config: Placed, account: string, supplyId: string): string =>
  join(
    resolve(dirname(config.storePath)),
    `pack-${createHash("sha256").update(`${account} ${supplyId}`).digest("hex").slice(0, 16)}.lock`
  )

/** The file that stops all sending of this machine while it exists. */
export const stopFile = ({ storePath }: Placed): string => join(dirname(storePath), "STOP")

/** A file that stops all sending, and why. */
export interface Stopped {
  readonly file: string
  /** False where nobody can tell. */
  readonly isThere: boolean
  readonly says: string
}

/** Also beside the link that the configuration names: whoever is in a hurry makes it there. Where nobody can tell, it stops. */
export const stopped = ({ storeLink = "", storePath }: Placed): Stopped | undefined =>
  [storePath, storeLink].flatMap((path) =>
    path === "" ? [] : (stoppedBy(stopFile({ storePath: path })) ?? [])
  )[0]

const stoppedBy = (file: string): Stopped | undefined => {
  try {
    // Not followed: a link that leads nowhere was made by somebody all the same.
    lstatSync(file)
    return { file, isThere: true, says: `the file ${file} exists; remove it to go on` }
  } catch (error) {
    const code = FileHints.codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    const says = `nobody can tell whether the file ${file} exists (${code}), and it would stop everything; check the permissions of its folder`
    return { file, isThere: false, says }
  }
}

/** Longest path of a socket that every system takes, bytes. */
const longest = 100

/** The door's address: a socket beside the store; elsewhere when its path would be too long; a pipe on Windows. */
export const socket = (config: Placed): string => {
  const beside = join(resolve(dirname(config.storePath)), "run.sock")
  const short = createHash("sha256").update(beside).digest("hex").slice(0, 16)
  if (process.platform === "win32") return `\\\\.\\pipe\\bidhelm-${short}`
  if (Buffer.byteLength(beside) <= longest) return beside
  return join(tmpdir(), `bidhelm-${Person.number()}`, `${short}.sock`)
}
