/** A table of the seller's for stories: its `kind: facts` file with the CSV already read, as the command line reads it. */
import type * as Load from "../../src/engine/language/Load.js"
import * as Scenario from "./Scenario.js"

/** `fields` as lines such as `campaign.labels: {column: labels, type: labels}`; cells are separated by semicolons. */
export const table = (
  join: string,
  fields: ReadonlyArray<string>,
  csv: string,
  name = "labels"
): Load.File => ({
  path: `rules/_shared/${name}.yaml`,
  text: `version: 1
kind: facts
source: {csv: ../../data/${name}.csv, delimiter: ";"}
join: ${join}
fields:
${fields.map((one) => `  ${one}\n`).join("")}`,
  data: dataOf(`data/${name}.csv`, csv)
})

/** The rows of a table whose cells are separated by semicolons, written at the story's start. */
export const dataOf = (path: string, csv: string): NonNullable<Load.File["data"]> => ({
  path,
  modifiedMs: Scenario.startMs,
  readMs: Scenario.startMs,
  content: {
    _tag: "Rows",
    rows: csv
      .trim()
      .split("\n")
      .map((line, at) => ({ line: at + 1, cells: line.split(";") }))
  }
})
