/** Who is at the keyboard, for the journal. */
import { userInfo } from "node:os"

/** Name of the user of this process. In a container a user may have a number only: `user 10001`. */
export const name = (ask: () => { readonly username: string } = userInfo): string => {
  try {
    return ask().username
  } catch {
    return `user ${number()}`
  }
}

/** Number of the user of this process; -1 on systems that know none. */
export const number = (): number => process.getuid?.() ?? -1
