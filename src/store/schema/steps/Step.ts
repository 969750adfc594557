/** One numbered change of the schema. */
export interface Step {
  /** Steps are applied in the order of their versions; numbers may be missing between them. */
  readonly version: number
  /** What the step brings, in plain words. */
  readonly name: string
  /** A released statement is never edited: a new step follows it. */
  readonly sqlite: ReadonlyArray<string>
  /** The same for PostgreSQL, `Dialect.postgresOf(sqlite)` where nothing but the types differs. */
  readonly postgres: ReadonlyArray<string>
}
