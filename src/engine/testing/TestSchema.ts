/** The shape of test files for editors. What a row may hold depends on the policy, so it is any fact. */
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { limitWords, plainActions } from "./TestFile.js"

const text = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotations({ description, jsonSchema: { type: "string", description, examples } })
const optional = Schema.optional

const instant = text("An instant with its offset.", "2026-09-01T09:00+03:00")
const id = text("Id of the row.", "a")
const fact = Schema.Union(Schema.String, Schema.Number, Schema.Boolean)
const facts = Schema.Record({ key: Schema.String, value: fact }).annotations({
  description:
    "Facts by their names, written as in conditions: 450 ₽, 1%, active, missing, unknown stale, 100+50x6."
})
const belowRows = Schema.Array(facts)
const rows = Schema.Array(
  Schema.Struct(
    { id, items: optional(belowRows), campaigns: optional(belowRows) },
    Schema.Record({ key: Schema.String, value: Schema.Union(fact, belowRows) })
  ).annotations({
    description: "A row: its id and its facts; of a campaign its items, of an item its campaigns."
  })
)

const expected = {
  expect: Schema.Array(
    Schema.Struct({
      id,
      set_bid: optional(text("The bid after the change.", "450 ₽")),
      adjust_bid: optional(text("The bid when an overlay has begun or ended.", "528 ₽")),
      deposit: optional(text("How much the campaign gets.", "2000 ₽")),
      placements: optional(text("Where the campaign is shown then.", "search, recommendations")),
      notify: optional(text("Part of what a person is told.", "2 000 ₽ left")),
      do: optional(Schema.Literal(...plainActions)),
      because: optional(
        Schema.Literal(
          "toward",
          "to",
          "max_step",
          "cap",
          "floor",
          "move_per_day",
          "max_bid",
          "min_bid",
          "step"
        ).annotations({
          description: "What decided the amount."
        })
      )
    })
  ).annotations({ description: "Every row that changes, and what it becomes; [] says that none does." }),
  undecided: optional(Schema.Array(id).annotations({ description: "Every row that is undecided." })),
  unchanged: optional(
    Schema.Array(
      Schema.Union(id, Schema.Struct({ id, because: optional(text("Part of the reason.", "cooldown")) }))
    )
  ),
  held: optional(Schema.Array(id).annotations({ description: "Rows whose change a limit holds." }))
}

const run = Schema.Struct({ at: instant, rows: optional(rows), ...expected })

/** One shape for both kinds of cases: alternatives would make every message of the editor one about all of them. */
const testCase = Schema.Struct({
  name: text("What the case shows."),
  now: optional(instant),
  defaults: optional(facts),
  rows,
  ...expected,
  expect: optional(expected.expect),
  limits: optional(
    Schema.Literal(...limitWords).annotations({
      description: "usual: bids and never_touch; counted: also limits on the number of changes; none."
    })
  ),
  from: optional(text("First day of every series.", "2026-08-25")),
  step: optional(Schema.Literal("1d")),
  runs: optional(
    Schema.Array(run).annotations({
      description:
        "Plans at several instants, each starting from what the one before left behind; instead of now and expect."
    })
  )
})

/** A file of `rules/tests/`. */
export const Tests = Schema.Struct({
  version: Schema.Literal(1),
  kind: Schema.Literal("tests"),
  policy: text("Which policy is tested: its file name without .yaml.", "01-raise-to-reach-max"),
  cases: Schema.Array(testCase)
}).annotations({ description: "Tests of a Bidhelm policy." })

/** The JSON Schema (draft-07) editors use. */
export const print = (): string =>
  `${JSON.stringify({ ...JSONSchema.make(Tests), title: "Bidhelm tests, version 1" }, null, 2)}\n`
