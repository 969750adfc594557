/** The shape of `_shared/templates.yaml` and of tables of own facts; the other files' shapes are in `Schema.ts`. */
import * as Schema from "effect/Schema"
import { Policy, text, variable, version } from "./Schema.js"

const optional = Schema.optional

const parameter = Schema.Record({ key: Schema.String, value: Schema.Union(variable, Schema.Array(variable)) })

const {
  each: rows,
  name: _name,
  use: _use,
  vars: _vars,
  version: _version,
  with: _with,
  ...partly
} = Policy.fields

/** One template: parts of a policy, and what `$name` stands for in them. */
const Template = Schema.Struct({
  params: optional(
    parameter.annotations({
      description: "Names with default values, or with the word required: cap: required, step: 10%."
    })
  ),
  each: optional(rows),
  ...partly
}).annotations({ description: "A part of a policy: any of its keys." })

/** `_shared/templates.yaml`: parts that policies have in common. */
export const Templates = Schema.Struct({
  version,
  kind: Schema.Literal("templates").annotations({ description: "This file holds templates." }),
  templates: Schema.Record({ key: Schema.String, value: Template }).annotations({
    description: "Templates by the names that use: takes."
  })
}).annotations({ description: "Parts of policies that several Bidhelm policies share." })

/** One field of `fields:`. */
export const FactColumn = Schema.Struct({
  column: text("Name of the column in the table's first line.", "cost"),
  type: Schema.Literal("money", "count", "number", "ratio", "text", "yes_no", "labels").annotations({
    description: "What the column holds."
  })
}).annotations({ description: "Which column, and what it holds." })

/** `_shared/cost.yaml` and its like: facts from a table of the seller's. */
export const Facts = Schema.Struct({
  version,
  kind: Schema.Literal("facts").annotations({ description: "This file describes a table of yours." }),
  source: Schema.Struct({
    csv: text("Path of the table, starting at this file's folder.", "../data/cost.csv"),
    delimiter: optional(
      Schema.Literal(",", ";", "\t", "|").annotations({
        description: "What stands between columns; a comma unless said."
      })
    ),
    decimal: optional(
      Schema.Literal(".", ",").annotations({
        description: "The mark before the fraction; a point unless said."
      })
    )
  }).annotations({ description: "Where the table is and how it is written." }),
  join: text(
    "Which column holds the item's number, the campaign's number, or the query of a cluster.",
    "item.id = nm",
    "campaign.id = campaign",
    "query = phrase"
  ),
  fields: Schema.Record({ key: Schema.String, value: FactColumn }).annotations({
    description:
      "Fields by the names that conditions use, such as item.cost, campaign.labels or cluster.labels."
  }),
  max_age: optional(text("Values of an older file are not used.", "30d"))
}).annotations({ description: "A table of yours as fields of items, campaigns or clusters." })
