/** `bidhelm orders` and its parts: the board of what waits, one order's way, cancelling, and sheets of marks. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import { group, later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const sheet = Flags.argument("FILE", "The sheet of marks: a workbook (.xlsx) or CSV")

const marksCheck = part(
  "orders",
  "check",
  { file: sheet, json: Flags.json },
  later(async () => (await import("./MarksCheck.js")).show)
)

const marksImport = part(
  "orders",
  "import",
  {
    file: sheet,
    rightRows: Flags.flag("right-rows", "Take the rows that are right although others are wrong"),
    cameBack: Flags.flag(
      "came-back",
      "Goods of orders that were handed over came back: their marks may go on other orders"
    ),
    ...PersonPlan.flags
  },
  later(async () => (await import("./MarksImport.js")).run)
)

const marks = group("orders", "marks").pipe(Command.withSubcommands([marksCheck, marksImport]))

const history = part(
  "orders",
  "history",
  { order: Flags.argument("ID", "The number of the order"), ...Flags.session },
  later(async () => (await import("./OrderHistory.js")).show)
)

const cancel = part(
  "orders",
  "cancel",
  {
    orders: Args.text({ name: "ID" }).pipe(
      Args.atLeast(1),
      Args.withDescription("The numbers of the orders")
    ),
    ...PersonPlan.flags
  },
  later(async () => (await import("./CancelOrders.js")).run)
)

export const command = make(
  "orders",
  {
    watch: Flags.flag("watch", "Show it again and again, until it is ended"),
    every: Flags.text("every", "How long between two looks, such as 30s or 2m; means --watch"),
    rules: Flags.rules,
    ...Flags.session
  },
  later(async () => (await import("./OrderBoard.js")).show)
).pipe(Command.withSubcommands([history, cancel, marks]))

export const reshipmentsCommand = make(
  "reshipments",
  Flags.session,
  later(async () => (await import("./Reshipments.js")).show)
)
