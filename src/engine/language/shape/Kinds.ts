/** What a rule file holds: told by `kind:`, and where that is missing by its keys, its name and its folder. */
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import type { Node } from "../yaml/Node.js"
import { entry, get, isEmpty } from "../yaml/Node.js"

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

/** What `kind:` may be. */
export const names = Object.keys(marks).filter(isKind)

/** `stem` is the file's name without its ending. */
export const of = (root: Node | undefined, stem: string, path: string): Kind => {
  if (isTable(path)) return "economics"
  const named = stem.replace(/^_/, "")
  if (root === undefined) return isKind(named) ? named : "policy"
  const kind = get(root, "kind")
  const told = kind?._tag === "Scalar" ? kind.text.trim() : ""
  if (isKind(told)) return told
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => get(root, key) !== undefined)
  const isPolicy = has("name") || isOverRows(root)
  if (has("waves", "warehouses") && !isOverRows(root)) return "fulfilment"
  const marked = (["vars", "templates", "facts"] as const).find((one) => has(marks[one]))
  if (marked !== undefined && !isPolicy) return marked
  const begun = names.filter((one) => told !== "" && one.startsWith(told))
  const meant = begun.length === 1 ? begun[0] : Suggest.nearest(told, names)
  if (meant !== undefined && isKind(meant)) return meant
  if (kind !== undefined && has("account", "campaigns")) return "limits"
  const inShared = /(^|[\\/])_shared[\\/][^\\/]*$/.test(path)
  return inShared && isKind(named) && !has("do") ? named : "policy"
}

/** Reports a `kind:` that is none in a file of which nothing else tells what it holds. True when it has been reported. */
export const isUntold = (root: Node, problems: Problems): boolean => {
  const kind = entry(root, "kind")
  if (kind === undefined || isOverRows(root)) return false
  const { keyRange, value } = kind
  const use = `Use ${names.slice(0, -1).join(", ")} or ${names.at(-1)}, or leave the line out in a policy over rows.`
  if (isEmpty(value)) problems.error("K16", keyRange, `kind: has no value. ${use}`)
  else
    problems.error(
      "K04",
      value.range,
      `kind cannot be ${value._tag === "Scalar" ? `"${value.text}"` : "this"}. ${use}`
    )
  return true
}

/** Keys that only a policy over rows has, which has no `kind:`. */
export const ofRows = ["each", "when", "do", "rules", "use"]

const isOverRows = (root: Node): boolean => ofRows.some((key) => get(root, key) !== undefined)

/** Whether a file may hold rules, by its name alone: `.YAML` is an ending of some programs. */
export const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path)

/** The seller's economics table, where it lies beside the rules under its own name. */
export const isTable = (path: string): boolean => /(^|[\\/])_shared[\\/]economics\.(csv|xlsx)$/i.test(path)
