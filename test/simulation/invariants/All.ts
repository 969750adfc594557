/** Every invariant that is checked after a run. Numbers are those of `docs/simulation-faults.md`. */
import type { Observed, Violation } from "../chaos/Record.js"
import * as Bids from "./Bids.js"
import * as Convergence from "./Convergence.js"
import * as Deposits from "./Deposits.js"
import * as Held from "./Held.js"
import * as Journal from "./Journal.js"
import * as Plans from "./Plans.js"
import * as Requests from "./Requests.js"
import * as Settling from "./Settling.js"
import * as Statistics from "./Statistics.js"
import * as Undo from "./Undo.js"

const all: ReadonlyArray<(observed: Observed) => ReadonlyArray<Violation>> = [
  Bids.withinBounds,
  Bids.withinDay,
  Bids.wholeMoney,
  Bids.wholeBodies,
  Deposits.withinLimits,
  Deposits.atMostOnce,
  Journal.beforeEffect,
  Journal.atRest,
  Journal.truthful,
  Journal.told,
  Journal.unbroken,
  Plans.withinPerRun,
  Plans.asPlanned,
  Plans.keepsOthersPhrases,
  Plans.repeatable,
  Plans.steady,
  Convergence.converges,
  Settling.onNews,
  Requests.unknownIsRead,
  Requests.oneUnderWay,
  Requests.noneLeftOpen,
  Requests.apart,
  Requests.obeysKillSwitch,
  Requests.onlyShows,
  Requests.withinLimits,
  Requests.ownAccount,
  Requests.recoveryOnlyReads,
  Statistics.neverFromAbsence,
  Undo.exact
]

/** What does not hold, by time. */
export const check = (observed: Observed): ReadonlyArray<Violation> => {
  const judged = Held.asOthers(observed)
  return all.flatMap((invariant) => [...invariant(judged)]).sort((a, b) => a.at - b.at)
}
