/** One entry of a completion list, in no protocol's words. */
export interface Suggestion {
  readonly label: string
  readonly kind: "fact" | "key" | "action" | "word" | "variable" | "function" | "keyword" | "window"
  /** Short, beside the label. */
  readonly detail: string
  /** Markdown. */
  readonly about: string
  /** What is inserted, with `${1:value}` where the cursor jumps. */
  readonly snippet: string
  /** Place in the list: lower first. */
  readonly rank: number
}

export const suggest = (
  kind: Suggestion["kind"],
  label: string,
  more: Partial<Omit<Suggestion, "kind" | "label">> = {}
): Suggestion => ({ kind, label, detail: "", about: "", snippet: literally(label), rank: 5, ...more })

/** A text as a snippet that inserts it as it is. */
const literally = (text: string): string => text.replace(/[\\$}]/g, "\\$&")

/** A place in a snippet where the cursor jumps, with what stands there at first. */
export const hole = (number: number, text: string): string => `\${${number}:${literally(text)}}`

/** What a snippet inserts in an editor without snippets. */
export const plain = (snippet: string): string =>
  snippet
    .replace(/(?<!\\)\$\{\d+:((?:\\.|[^}\\])*)\}/g, "$1")
    .replace(/(?<!\\)\$\d+/g, "")
    .replace(/\\([\\$}])/g, "$1")
