/** All steps of the schema, oldest first. Two of them never share a version. */
import * as Audit from "./Audit.js"
import * as Browsing from "./Browsing.js"
import * as ChangeMemory from "./ChangeMemory.js"
import * as CutShort from "./CutShort.js"
import * as DailyQuotas from "./DailyQuotas.js"
import * as DaySnapshots from "./DaySnapshots.js"
import * as DueTimes from "./DueTimes.js"
import * as DurableWrites from "./DurableWrites.js"
import * as FigureRows from "./FigureRows.js"
import * as FiguresOf from "./FiguresOf.js"
import * as Holds from "./Holds.js"
import * as Journal from "./Journal.js"
import * as PlansByTime from "./PlansByTime.js"
import * as ReportTasks from "./ReportTasks.js"
import * as ScarceAnswers from "./ScarceAnswers.js"
import type { Step } from "./Step.js"
import * as Stops from "./Stops.js"
import * as TokenMemory from "./TokenMemory.js"
import * as Undoes from "./Undoes.js"

/** In the order of their versions. */
export const steps: ReadonlyArray<Step> = [
  Journal.step,
  DailyQuotas.step,
  ReportTasks.step,
  Holds.step,
  ScarceAnswers.step,
  ChangeMemory.step,
  DaySnapshots.step,
  DurableWrites.step,
  Stops.step,
  Audit.step,
  DueTimes.step,
  Undoes.step,
  TokenMemory.step,
  CutShort.step,
  Browsing.step,
  FiguresOf.step,
  FigureRows.step,
  PlansByTime.step
].sort((a, b) => a.version - b.version)
