/** How much the tests look at that draw their cases: a quarter in `npm test`, all of it in `npm run test:deep`. */

export const isDeep = process.env.BIDHELM_TEST_DEEP !== undefined

/** How many of `all` cases are looked at. */
export const cases = (all: number): number => (isDeep ? all : Math.ceil(all / 4))
