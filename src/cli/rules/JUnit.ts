/** Results of rule tests as JUnit XML, which build servers show: a suite per file, a test case per case. */
import type { Result } from "../../engine/testing/RunTests.js"
import * as TestReport from "./TestReport.js"

/** The whole document. Times are left at zero: the same tests give the same bytes. */
export const print = ({ cases }: Pick<Result, "cases">): string => {
  const suites = [...new Set(cases.map(({ file }) => file))].map((file) => {
    const own = cases.filter((one) => one.file === file)
    return [
      `  <testsuite name="${escape(file)}" ${counts(own)}>`,
      ...own.map(testCase),
      "  </testsuite>"
    ].join("\n")
  })
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bidhelm test" ${counts(cases)}>`
  return `${[head, ...suites, "</testsuites>"].join("\n")}\n`
}

type Cases = Result["cases"]

const counts = (cases: Cases): string => {
  const failed = cases.filter((one) => one.failures.length > 0).length
  return `tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="0"`
}

const testCase = (one: Cases[number]): string => {
  const open = `    <testcase classname="${escape(one.policy)}" name="${escape(one.name)}" file="${escape(one.file)}" line="${one.line}" time="0"`
  const [first] = one.failures
  if (first === undefined) return `${open}/>`
  const message = `${first.row}: expected ${first.expected}, got ${first.got}`
  const text = one.failures.map(TestReport.failure).join("\n")
  return `${open}>\n      <failure message="${escape(message)}" type="unexpected">${escape(text)}</failure>\n    </testcase>`
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** XML 1.0 has no place for most control characters and lone surrogates, not even escaped: they become `�`. */
const escape = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
