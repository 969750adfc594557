/** Stands in for `src/engine/kinds/All.ts` when the trial program is built: the same records, and a price's. */
import { all as own } from "../../../src/engine/kinds/All.js"
import * as Price from "./Price.js"

export const all = { ...own, price: Price.kind }
