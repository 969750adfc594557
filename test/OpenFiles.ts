/**
 * Files that this process has open. SQLite's driver lets go of a file that was closed only when its last statement is
 * forgotten; a process of its own would simply end.
 */
import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Their paths; undefined on a system that does not tell. */
export const all = (): ReadonlyArray<string> | undefined =>
  existsSync(descriptors)
    ? readdirSync(descriptors).map((name) => target(`${descriptors}/${name}`))
    : undefined

/**
 * Forgets what nobody holds until none of them is open any more, a few times at most: once is mostly enough, and in a
 * worker of the tests takes longer than many a test.
 */
export const released = async (isOpen: () => boolean): Promise<void> => {
  for (let tries = 0; tries < most && isOpen(); tries++) {
    collect()
    // What was collected is closed in later turns of the event loop.
    await new Promise((done) => setTimeout(done, 5 * tries))
  }
}

const descriptors = "/proc/self/fd"
const most = 10

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The descriptor of the look itself is closed already. */
const target = (link: string): string => {
  try {
    return readlinkSync(link)
  } catch {
    return ""
  }
}
