/** A plan in the format that was asked for. */
import * as Effect from "effect/Effect"
import type { Plan } from "../../engine/decide/Plan.js"
import * as HtmlPreview from "../../reporting/preview/HtmlPreview.js"
import * as MarkdownPreview from "../../reporting/preview/MarkdownPreview.js"
import * as TextPreview from "../../reporting/preview/TextPreview.js"
import type { Format, View } from "../../reporting/preview/View.js"
import * as Output from "../terminal/Output.js"
import * as PlanFile from "./PlanFile.js"

/** Prints a plan on stdout; a terminal breaks its text at words. */
export const show = (plan: Plan, format: Format, view: View): Effect.Effect<void> =>
  Effect.flatMap(print(plan, format, { ...view, colour: Output.coloured() }), (printed) =>
    format === "text" ? Output.text(printed) : Output.data(printed)
  )

export const print = (plan: Plan, format: Format, options: TextPreview.Options): Effect.Effect<string> => {
  switch (format) {
    case "text":
      return Effect.succeed(TextPreview.render(plan, options))
    case "json":
      return PlanFile.text(plan)
    case "markdown":
      return Effect.succeed(MarkdownPreview.render(plan, options))
    case "html":
      return Effect.succeed(HtmlPreview.render(plan))
  }
}
