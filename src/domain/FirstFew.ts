/** A list for people that stays one line however long it is. */

/** `a, b, c and 7 more`: the first ones, and how many are not named. */
export const named = (names: ReadonlyArray<string | number>, most: number): string => {
  const more = names.length - most
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
