/** A quirk of the marketplace, and what a robust client does about it. */
export interface Note {
  readonly quirk: string
  readonly remedy: string
}
