/** Every invariant that is checked after a run. Numbers are those of `docs/simulation-faults.md`. */
import type { Observed, Violation } from "../chaos/Record.js"
import * as Assembly from "./Assembly.js"
import * as Bids from "./Bids.js"
import * as Convergence from "./Convergence.js"
import * as Deposits from "./Deposits.js"
import * as Enrolments from "./Enrolments.js"
import * as Held from "./Held.js"
import * as Journal from "./Journal.js"
import * as LeftAlone from "./LeftAlone.js"
import * as Optimising from "./Optimising.js"
import * as OwnRule from "./OwnRule.js"
import * as Packing from "./Packing.js"
import * as Plans from "./Plans.js"
import * as Requests from "./Requests.js"
import * as Settling from "./Settling.js"
import * as Statistics from "./Statistics.js"
import * as Told from "./Told.js"
import * as Undo from "./Undo.js"
import * as Wanted from "./Wanted.js"

const all: ReadonlyArray<(observed: Observed) => ReadonlyArray<Violation>> = [
  Assembly.oneSupply,
  Assembly.madeOnce,
  Assembly.nothingCancelled,
  Assembly.byAPersonsWord,
  Assembly.fitToGo,
  Assembly.passesApart,
  Packing.keepsSecrets,
  Packing.inStoredOrder,
  Packing.nothingForgotten,
  Bids.withinBounds,
  OwnRule.within,
  Bids.withinDay,
  Bids.wholeMoney,
  Bids.wholeBodies,
  Deposits.withinLimits,
  Deposits.atMostOnce,
  Deposits.oncePerTurn,
  Enrolments.once,
  Enrolments.byAPersonsWord,
  Enrolments.asItsRuleSays,
  Enrolments.truthful,
  Journal.beforeEffect,
  Journal.atRest,
  Journal.truthful,
  Journal.truthfulOfMoney,
  Journal.told,
  Journal.unbroken,
  Plans.withinPerRun,
  Plans.asPlanned,
  LeftAlone.held,
  Plans.keepsOthersPhrases,
  Plans.hasItsPhrases,
  Plans.repeatable,
  Plans.steady,
  Convergence.converges,
  Settling.onNews,
  Optimising.goesByWholeDays,
  Optimising.raisesNothingThatLoses,
  Optimising.keepsBudgets,
  Requests.unknownIsRead,
  Requests.oneUnderWay,
  Requests.noneLeftOpen,
  Requests.holdsLock,
  Requests.apart,
  Requests.obeysKillSwitch,
  Requests.onlyShows,
  Wanted.byNobody,
  Requests.withinLimits,
  Requests.ownAccount,
  Requests.recoveryOnlyReads,
  Statistics.neverFromAbsence,
  Told.byFiguresThatCame,
  Undo.exact
]

/** What does not hold, by time. */
export const check = (observed: Observed): ReadonlyArray<Violation> => {
  const judged = Held.asOthers(observed)
  return all.flatMap((invariant) => [...invariant(judged)]).sort((a, b) => a.at - b.at)
}
