/** A step that a later program may have: two tables and an index, so that a migration can be cut between them. */
import * as Dialect from "../../src/store/clients/Dialect.js"
import { type Step, steps } from "../../src/store/schema/Steps.js"

const sqlite = [
  "CREATE TABLE later_one (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
  "CREATE INDEX later_by_text ON later_one (text)",
  "CREATE TABLE later_two (id INTEGER PRIMARY KEY) STRICT",
  "ALTER TABLE runs ADD COLUMN later TEXT"
]

export const step: Step = {
  version: 90,
  name: "a later step",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}

/** This program's steps, and the later one. */
export const known: ReadonlyArray<Step> = [...steps, step]
