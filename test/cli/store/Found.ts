/** What a reconciliation has found, for tests of what it says. */
import type * as Reconciling from "../../../src/cli/store/Reconciling.js"
import * as Days from "../../../src/domain/Days.js"

export const nothing: Reconciling.Found = {
  settled: [],
  compared: 0,
  moved: [],
  unread: [],
  over: 0,
  topUps: [],
  topUpsUnread: undefined,
  topUpsFrom: Days.Day("2026-09-01"),
  isLastDay: true,
  marksFound: 0,
  marksElsewhere: [],
  marksUnread: undefined,
  unknown: { overlays: [], paused: [], supplies: [], unread: undefined, isLimited: false },
  isLimited: false,
  toHold: [],
  replaced: []
}
