/** What a rule file holds: told by `kind:`, and where that is missing by its keys, its name and its folder. */
import * as Suggest from "../problems/Suggest.js"
import type { Node } from "../yaml/Node.js"
import { get } from "../yaml/Node.js"

export type Kind = "policy" | "limits" | "vars" | "templates" | "facts" | "economics" | "fulfilment"

/** What a file is called in messages that is no policy over rows. */
export const called: Readonly<Record<Exclude<Kind, "policy">, string>> = {
  limits: "Limits",
  vars: "Shared variables",
  templates: "Templates",
  facts: "Own facts",
  economics: "Economics",
  fulfilment: "Fulfilment"
}

/** The key that only a file of this kind has. */
const marks: Readonly<Record<Exclude<Kind, "policy">, string>> = {
  limits: "account",
  vars: "vars",
  templates: "templates",
  facts: "fields",
  economics: "source",
  fulfilment: "waves"
}

const isKind = (text: string): text is Exclude<Kind, "policy"> => Object.hasOwn(marks, text)

/** `stem` is the file's name without its ending. */
export const of = (root: Node | undefined, stem: string, path: string): Kind => {
  if (isTable(path)) return "economics"
  const named = stem.replace(/^_/, "")
  if (root === undefined) return isKind(named) ? named : "policy"
  const kind = get(root, "kind")
  const told = kind?._tag === "Scalar" ? kind.text.trim() : ""
  if (isKind(told)) return told
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => get(root, key) !== undefined)
  const isPolicy = has("name", "each", "when", "do", "rules", "use")
  if (kind === undefined && has("waves", "warehouses") && !has("each", "when", "do", "rules", "use"))
    return "fulfilment"
  const marked = (["vars", "templates", "facts"] as const).find((one) => has(marks[one]))
  if (marked !== undefined && !isPolicy) return marked
  const meant = Suggest.nearest(told, Object.keys(marks))
  if (kind !== undefined) return meant !== undefined && isKind(meant) ? meant : "limits"
  const inShared = /(^|[\\/])_shared[\\/][^\\/]*$/.test(path)
  return inShared && isKind(named) && !has("do") ? named : "policy"
}

/** Whether a file may hold rules, by its name alone: `.YAML` is an ending of some programs. */
export const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path)

/** The seller's economics table, where it lies beside the rules under its own name. */
export const isTable = (path: string): boolean => /(^|[\\/])_shared[\\/]economics\.(csv|xlsx)$/i.test(path)
