/** Whether a process of this machine, known by its number alone, is there: of what holds a lock or a place in a line. */
import * as FileHints from "./FileHints.js"

/** False only where the system says that there is none: one that may not be asked is there. */
export const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return FileHints.codeOf(error) !== "ESRCH"
  }
}
