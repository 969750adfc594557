/** Worked out when it is first asked for: of the clusters of a market and the orders of its past few are ever shown. */
export const of = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
