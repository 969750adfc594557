/** What a reader of a plan may ask for. */

/** What changes may be grouped by; the kind of a change is its action. */
export const groupings = ["campaign", "rule", "kind"] as const
export type Grouping = (typeof groupings)[number]

/** By money, by how far a value moves, or by campaign, item and cluster. */
export const sortings = ["money", "change", "target"] as const
export type Sorting = (typeof sortings)[number]

/** How a plan is printed. */
export const formats = ["text", "json", "markdown", "html"] as const
export type Format = (typeof formats)[number]

/** Without anything a big plan is folded to its largest changes. */
export interface View {
  /** Every change, and every held, unknown and unchanged row. */
  readonly all?: boolean
  /** So many changes at most; the rest is folded. */
  readonly top?: number | undefined
  readonly group?: Grouping | undefined
  readonly sort?: Sorting | undefined
  /** How many accounts the configuration has, where that is known: the commands that are told need not name the only one. */
  readonly accounts?: number
}
