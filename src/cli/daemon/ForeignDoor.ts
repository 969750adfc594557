/** The door of a running `bidhelm run` that this user may not open: whose it is, and what to do about it. */
import { readFileSync, statSync } from "node:fs"

/** What to say at the door of this address; `code` is the system's. */
export const why = (address: string, code: string): string => {
  const owner = ownerOf(address)
  return owner === undefined || owner === process.geteuid?.()
    ? `this user may not open ${address}, the socket of bidhelm run (${code}); mend the permissions of the socket and of its folders`
    : `${address}, the socket of bidhelm run, belongs to another user, ${named(owner)}; give the command as that user: sudo -u ${nameOf(owner) ?? `'#${owner}'`} bidhelm …`
}

const ownerOf = (address: string): number | undefined => {
  try {
    return statSync(address).uid
  } catch {
    return undefined
  }
}

const named = (number: number): string => nameOf(number) ?? `number ${number}`

/** Node knows the name of this process's user only. */
const nameOf = (number: number): string | undefined => {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n")
    return lines.map((line) => line.split(":")).find((fields) => fields[2] === `${number}`)?.[0]
  } catch {
    return undefined
  }
}
