/**
 * Statements that are one step within a transaction: without the span and the scope that each would open by itself, which
 * take longer than most statements.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The client with all that it makes of a template being such statements; outside of a transaction nothing is left out. */
export const short = <Client extends SqlClient.SqlClient>(client: Client): Client =>
  new Proxy(client, {
    apply: (made, self, words) => {
      const statement: unknown = Reflect.apply(made, self, words)
      return isStatement(statement)
        ? Object.assign(statement, { commit: () => inside(statement) })
        : statement
    }
  })

/** Any other fragment is made by a method of the client. */
const isStatement = (made: unknown): made is Statement.Statement<object> => Statement.isFragment(made)

/** A statement on the connection of the transaction around it. */
export const inside = <A extends object>(
  statement: Statement.Statement<A>
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  Effect.withFiberRuntime(({ currentContext }) => {
    const outer = transaction(currentContext)
    if (Option.isNone(outer)) return statement.withoutTransform
    const [text, parameters] = statement.compile()
    return outer.value[0].execute(text, parameters, undefined)
  })

/** The transaction around whoever has these services. */
export const transaction = Context.getOption(SqlClient.TransactionConnection)
