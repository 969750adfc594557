/** How much the tests look at that draw their cases: a part in `npm test`, all of it in `npm run test:deep`. */

export const isDeep = process.env.BIDHELM_TEST_DEEP !== undefined

/** How many of `all` cases are looked at; in `npm test` a quarter, or a smaller share where every case is dear. */
export const cases = (all: number, share = 1 / 4): number => (isDeep ? all : Math.ceil(all * share))
