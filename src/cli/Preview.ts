/** A plan in the format that was asked for. */
import * as Effect from "effect/Effect"
import type { Plan } from "../engine/decide/Plan.js"
import * as HtmlPreview from "../reporting/HtmlPreview.js"
import * as MarkdownPreview from "../reporting/MarkdownPreview.js"
import * as TextPreview from "../reporting/TextPreview.js"
import * as PlanFile from "./PlanFile.js"

export type Format = "text" | "json" | "markdown" | "html"

export const print = (plan: Plan, format: Format, options: TextPreview.Options): Effect.Effect<string> => {
  switch (format) {
    case "text":
      return Effect.succeed(TextPreview.render(plan, options))
    case "json":
      return PlanFile.text(plan)
    case "markdown":
      return Effect.succeed(MarkdownPreview.render(plan))
    case "html":
      return Effect.succeed(HtmlPreview.render(plan))
  }
}
