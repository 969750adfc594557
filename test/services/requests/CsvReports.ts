import type { Inputs } from "./Inputs.js"

const id = "5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b11"
const other = "5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b12"

export const inputs: Inputs = {
  createCsvReport: {
    payload: {
      id,
      reportType: "DETAIL_HISTORY_REPORT",
      userReportName: "Boots in September",
      params: {
        nmIDs: [1001],
        subjectIds: [],
        brandNames: [],
        tagIds: [],
        startDate: "2026-09-01",
        endDate: "2026-09-30",
        timezone: "Europe/Moscow",
        aggregationLevel: "day",
        skipDeletedNm: false
      }
    }
  },
  listCsvReports: { urlParams: { "filter[downloadIds]": [id, other] } },
  retryCsvReport: { payload: { downloadId: id } },
  downloadCsvReport: { path: { downloadId: id } }
}
