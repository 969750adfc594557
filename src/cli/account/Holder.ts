/**
 * Who holds an account's lock: this process on this machine, so that a dead holder's lock can be told from a live one.
 * Machines may share a name and containers a number (each has its own process 1), so both are told apart by more.
 */
import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import * as Processes from "../../store/clients/Processes.js"

/** `pid 4711 on desk (1f3a5c7e-88123)`: the processes it is counted among, and when it began. */
export const name = (): string => `pid ${process.pid} on ${hostname()} (${among()}-${begun(process.pid)})`

let taken = 0

/**
 * As `name`, for one holding of a lock: `pid 4711 on desk (1f3a5c7e-88123), settle 3`. A running `bidhelm run` carries
 * out commands too, and whoever has a lock's name already is given the lock again.
 */
export const once = (what: string): string => `${name()}, ${what} ${++taken}`

/** True when the holder was a process of this machine and this container, and has ended. */
export const abandoned = (holder: string): boolean => {
  const match = /^pid (\d+) on (.*) \((\w*)-(\w*)\)/.exec(holder)
  if (match === null || match[2] !== hostname() || match[3] !== among()) return false
  const pid = Number(match[1])
  if (!Processes.lives(pid)) return true
  // A system may hide when processes of others began; then the number has to do.
  const since = begun(pid)
  return since !== "" && since !== match[4]
}

const linux = process.platform === "linux"

/** Whatever counts its processes together has the same: one start of a machine, one container. Empty where unknown. */
const among = (): string => {
  if (!linux) return ""
  try {
    const start = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return createHash("sha256")
      .update(`${start} ${readlinkSync("/proc/self/ns/pid")}`)
      .digest("hex")
      .slice(0, 8)
  } catch {
    return ""
  }
}

/** When a process began, in ticks since the machine did; empty where the system does not tell, or it has ended. */
const begun = (pid: number): string => {
  if (!linux) return ""
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is a name in parentheses that may hold anything; the twenty-second is the start.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  } catch {
    return ""
  }
}
