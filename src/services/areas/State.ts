/** A code of the marketplace as a tagged value. Codes appear without notice (field note T19), so none is refused. */

/** One of the known codes as the tag, or the text of one that is not known; absent text when none was given. */
export type State<K extends string> = Known<K> | Unknown

type Known<K extends string> = K extends string ? { readonly _tag: K } : never

export interface Unknown {
  readonly _tag: "unknown"
  readonly text: string | undefined
}

/** Reader of one enumeration. */
export const reader = <const K extends string>(codes: ReadonlyArray<K>) => {
  const known = new Map<string, State<K>>(codes.map((code) => [code, tagged(code)]))
  return (text: string | undefined): State<K> =>
    (text === undefined ? undefined : known.get(text)) ?? { _tag: "unknown", text }
}

/** The code as the marketplace spells it; undefined when it gave none. */
export const textOf = <K extends string>(state: State<K>): string | undefined =>
  isUnknown(state) ? state.text : state._tag

const isUnknown = (state: { readonly _tag: string }): state is Unknown => state._tag === "unknown"
const tagged = <K extends string>(code: K): State<K> => ({ _tag: code }) as State<K>
