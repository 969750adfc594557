/** A token file that cannot be read: which one, which line of the configuration names it, and how to put it there. */
import { statSync } from "node:fs"
import * as Token from "../../services/Token.js"
import type * as Config from "../config/Config.js"

/** The problem in words that mend it; one that is not of the file itself stays as it is. */
export const explained = (
  { name, token, tokenAt }: Config.Account,
  problem: Token.TokenProblem
): Token.TokenProblem => {
  if (token._tag !== "File" || (problem.reason !== "unreadable" && problem.reason !== "exposed"))
    return problem
  const { path } = token
  const found = look(path)
  const named = tokenAt === undefined ? "the configuration" : tokenAt
  const says = (message: string) => new Token.TokenProblem({ reason: "unreadable", message })
  const put = `put the token of account ${name} there as one line and run chmod 600 ${path}`
  if (found === "nothing")
    return says(`There is no token file ${path}, which ${named} names: ${put}, or mend the path.`)
  if (found === "folder")
    return says(`${path}, which ${named} names as the token file, is a folder: name a file in it.`)
  if (found === "irregular")
    return says(
      `${path}, which ${named} names as the token file, is no regular file: ${put}, or mend the path.`
    )
  return problem.reason === "exposed"
    ? problem
    : says(
        `The token file ${path}, which ${named} names, cannot be read by this user: make it the file's owner and run chmod 600 ${path}, or mend the path.`
      )
}

const look = (path: string): "nothing" | "folder" | "irregular" | "file" => {
  try {
    const found = statSync(path)
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : "irregular"
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "file"
  }
}
