/** Where tests keep what is written durably again and again: a disk takes longer for one commit than a command for all else. */
import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const memory = "/dev/shm"

/** Of a container it may hold very little, bytes. */
const leastFree = 512 * 1024 * 1024

const hasRoom = (): boolean => {
  try {
    accessSync(memory, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= leastFree
  } catch {
    return false
  }
}

/** A folder of memory where the system has one; `TMPDIR` when it is set. */
export const path: string = process.env.TMPDIR === undefined && hasRoom() ? memory : tmpdir()
