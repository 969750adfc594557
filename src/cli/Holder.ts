/** Who holds an account's lock: this process on this machine, so that a dead holder's lock can be told from a live one. */
import { hostname } from "node:os"

/** `pid 4711 on desk`. */
export const name = (): string => `pid ${process.pid} on ${hostname()}`

/** True when the holder was a process of this machine that has ended. */
export const abandoned = (holder: string): boolean => {
  const match = /^pid (\d+) on ([^,]*)/.exec(holder)
  if (match === null || match[2] !== hostname()) return false
  try {
    process.kill(Number(match[1]), 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}
