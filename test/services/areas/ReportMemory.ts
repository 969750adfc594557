/** The memory of CSV reports without a database, for tests. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ReportId } from "../../../src/domain/Ids.js"
import * as TextOrder from "../../../src/domain/TextOrder.js"
import type { ReportStore, StoredReport } from "../../../src/services/ports/ReportStore.js"

/** Tasks that outlive whoever wrote them, but not the process. */
export type Memory = Map<ReportId, StoredReport>

export const fromMemory = (reports: Memory): Context.Tag.Service<ReportStore> => ({
  save: (report) => Effect.sync(() => void reports.set(report.id, report)),
  find: (id) => Effect.sync(() => reports.get(id)),
  open: (account) =>
    Effect.sync(() =>
      [...reports.values()]
        .filter((report) => report.account === account && isOpen(report))
        .sort((a, b) => a.storedAt - b.storedAt || TextOrder.compare(a.id, b.id))
    )
})

/** Whether something is still to be done about it. */
const isOpen = ({ state }: StoredReport): boolean => state === "stored" || state === "asked"
