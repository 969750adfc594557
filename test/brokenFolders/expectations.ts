/** Mistakes that several files make together: every problem of each folder, by file, code, line and column. */
export interface Expectation {
  readonly problems: ReadonlyArray<string>
  /** Size of the account that the calls are counted for. */
  readonly assume?: { readonly campaigns: number; readonly items: number; readonly clusters: number }
  /** How old the tables are, in days. */
  readonly ageDays?: number
}

export const expectations: Readonly<Record<string, Expectation>> = {
  "f01-no-table": { problems: ["rules/_shared/cost.yaml F01@3:15"] },
  "f02-no-column": { problems: ["rules/_shared/cost.yaml F02@5:30"] },
  "f03-item-twice": { problems: ["tables/cost.csv F03@3:1"] },
  "f04-no-number": { problems: ["tables/cost.csv F04@2:1"] },
  "f05-too-old": { problems: ["rules/_shared/cost.yaml F05@6:10"], ageDays: 45 },
  "k18-limits-twice": { problems: ["rules/_shared/more.yaml K18@1:1"] },
  "k18-one-field-in-two-tables": { problems: ["rules/_shared/more.yaml K18@5:10"] },
  "k18-one-name": { problems: ["rules/b/01-pause.yaml K18@1:1"] },
  "k22-parameter-not-given": { problems: ["rules/01-raise.yaml K22@3:6"] },
  "k23-parameter-misspelt": { problems: ["rules/01-raise.yaml K23@4:20"] },
  "k25-template-unused": { problems: ["rules/_shared/templates.yaml K25@4:3"] },
  "k41-one-warehouse-in-two": { problems: ["rules/far.yaml K41@4:19"] },
  "s03-raise-and-lower": { problems: ["rules/01-raise.yaml S03@10:3"] },
  "s04-too-many-calls": {
    problems: ["rules/01-raise.yaml S04@6:7"],
    assume: { campaigns: 500, items: 10, clusters: 50 }
  },
  "s07-never-its-turn": { problems: ["rules/01-steer.yaml S07@12:11"] },
  "s09-no-ceiling": { problems: ["rules/01-raise.yaml S09@8:3"] },
  "s11-to-and-fro": { problems: ["rules/01-pause.yaml S11@7:5", "rules/02-start.yaml S11@7:5"] },
  "s12-no-economics": { problems: ["rules/join.yaml S12@9:5"] },
  "s13-optimised-and-raised": { problems: ["rules/10-optimise.yaml S13@9:3"] },
  "s14-pause-for-good": { problems: ["rules/02-start.yaml S14@7:5"] },
  "s15-only-while-clusters-wait": { problems: ["rules/10-optimise.yaml S15@8:3"] },
  "t01-no-policy": { problems: ["rules/tests/01.test.yaml T01@3:9"] },
  "t02-no-cases": { problems: ["rules/tests/01.test.yaml T02@4:1"] },
  "t03-nothing-expected": { problems: ["rules/tests/01.test.yaml T03@5:5"] },
  "t04-row-twice": { problems: ["rules/tests/01.test.yaml T04@7:26"] },
  "t05-no-such-row": { problems: ["rules/tests/01.test.yaml T05@8:19"] },
  "t06-name-of-file": { problems: ["rules/tests/01.yaml T06@1:1"] },
  "t07-no-value": { problems: ["rules/tests/01.test.yaml T07@7:25"] },
  "t08-no-instant": { problems: ["rules/tests/01.test.yaml T08@6:10"] },
  "t09-not-read": { problems: ["rules/tests/01.test.yaml T09@7:54"] }
}
