/** Every planted bug, at least one for each invariant that is judged. */
import * as AssemblyBugs from "./AssemblyBugs.js"
import * as BidBugs from "./BidBugs.js"
import type { Bug } from "./Bug.js"
import * as DecidingBugs from "./DecidingBugs.js"
import * as DepositBugs from "./DepositBugs.js"
import * as OptimiseBugs from "./OptimiseBugs.js"
import * as PromotionBugs from "./PromotionBugs.js"
import * as RememberingBugs from "./RememberingBugs.js"
import * as SendingBugs from "./SendingBugs.js"
import * as SourceBugs from "./SourceBugs.js"

export const bugs: ReadonlyArray<Bug> = [
  ...BidBugs.bugs,
  ...DepositBugs.bugs,
  ...SendingBugs.bugs,
  ...DecidingBugs.bugs,
  ...RememberingBugs.bugs,
  ...SourceBugs.bugs,
  ...PromotionBugs.bugs,
  ...AssemblyBugs.bugs,
  ...OptimiseBugs.bugs
]
