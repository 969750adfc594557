/** Looks for marks that people gave in whatever the program logs, and in every table of its store but the one that keeps them. */
import * as Cause from "effect/Cause"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type { Disk } from "./Machine.js"
import type { Record } from "./Record.js"

/** Notes every line of the log that has a mark; prints nothing. */
export const logger = (record: Record, time: VirtualClock.VirtualTime) =>
  Logger.add(
    Logger.make(({ annotations, cause, message }) => {
      if (record.secrets.size === 0) return
      const said = [message, ...annotations].map((part) => Inspectable.toStringUnknown(part))
      const text = [...said, Cause.isEmpty(cause) ? "" : Cause.pretty(cause)].join(" ")
      if (isIn(record, text)) record.leaks.push({ at: time.now(), where: "a line of the log" })
    })
  )

/** The vault itself. */
const vault = "order_marks"

/** Reads every text that the store has when all is over. */
export const inStore = (record: Record, disk: Disk, at: number): void => {
  if (record.secrets.size === 0) return
  const tables = disk
    .read("SELECT name FROM sqlite_master WHERE type = 'table'")
    .map(({ name }) => String(name))
    .filter((name) => name !== vault && !name.startsWith("sqlite_"))
  for (const table of tables)
    for (const row of disk.read(`SELECT * FROM ${table}`))
      if (isIn(record, Object.values(row).map(String).join(" ")))
        record.leaks.push({ at, where: `the table ${table}` })
}

const isIn = ({ secrets }: Record, text: string): boolean => {
  for (const secret of secrets) if (text.includes(secret)) return true
  return false
}
