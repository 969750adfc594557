/** What one check of `doctor` found. */
export interface Finding {
  readonly check: string
  readonly well: boolean
  /** It could not be looked at, and nothing depends on it: neither well nor a problem. */
  readonly isUnknown?: true
  readonly says: string
  /** How to mend it. */
  readonly todo?: string
}

export const well = (check: string, says: string): Finding => ({ check, well: true, says })

export const problem = (check: string, says: string, todo: string): Finding => ({
  check,
  well: false,
  says,
  todo
})

export const unknown = (check: string, says: string): Finding => ({
  check,
  well: true,
  isUnknown: true,
  says
})
