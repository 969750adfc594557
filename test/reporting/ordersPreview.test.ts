/** Plans of orders: people agree to supplies, so they read them by supply, and no money is told where none is spent. */
import { expect, it } from "vitest"
import type { Request } from "../../src/engine/planning/ApprovalStore.js"
import * as LeftWords from "../../src/reporting/fulfilment/LeftWords.js"
import * as Approvals from "../../src/reporting/people/Approvals.js"
import * as HtmlPreview from "../../src/reporting/preview/HtmlPreview.js"
import * as MarkdownPreview from "../../src/reporting/preview/MarkdownPreview.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import { check } from "../golden/check.js"
import { ordersPlan } from "./ordersPlan.js"

it("stands under its supplies, what many orders share once", () => {
  check("preview-orders.txt", TextPreview.render(ordersPlan, { colour: false }))
})

it("tells each order alone when all is asked for", () => {
  const text = TextPreview.render(ordersPlan, { colour: false, all: true })
  for (const id of [1, 2, 3, 4]) expect(text).toContain(`order 410100000${id}  `)
  expect(text).not.toContain("each ")
})

it("counts orders that one row tells, so that a plan of two supplies is not folded for its many orders", () => {
  const [first] = ordersPlan.changes
  const many = Array.from({ length: 500 }, (_, i) => ({
    ...first!,
    id: `m${i}`,
    subject: { orderId: 4_200_000_000 + i }
  })) as unknown as typeof ordersPlan.changes
  const text = TextPreview.render({ ...ordersPlan, changes: many }, { colour: false })
  expect(text).toContain("+ 500 orders  each goes into the new supply")
  expect(text).not.toContain("folded")
  expect(text.split("\n").length).toBeLessThan(20)
})

it("says in every format which order, supply and pass a change is about", () => {
  const html = HtmlPreview.render(ordersPlan).replace(/<script>[\s\S]*?<\/script>/g, "")
  const markdown = MarkdownPreview.render(ordersPlan)
  expect(html).not.toContain("undefined")
  expect(html).toContain("<th>order or pass or supply</th>")
  for (const named of ["4101000001", "4101000003", "71001 2026-09-01 noon #a1b2c3", "15/А123ВС777"]) {
    expect(html).toContain(named)
    expect(markdown.replaceAll("\\", "")).toContain(named)
  }
})

it("is asked about by supply, with the name of every change and what they share once", () => {
  const at = Date.parse("2026-09-01T08:00:00Z")
  const text = Approvals.preview(
    {
      id: "3f2a9c",
      account: "shop",
      plan: ordersPlan,
      asked: ordersPlan.changes.map(({ after, id, origin }) => ({
        id,
        slot: id,
        policy: origin.name,
        after,
        tier: "notable" as const,
        why: "its policy asks"
      })),
      state: "requested",
      requestedAt: at,
      expiresAt: at + 86_400_000
    } satisfies Request,
    at,
    "Europe/Moscow"
  )
  check("approval-orders.txt", text)
})

it("says once what keeps many orders, and until when the first and the last", () => {
  const left = [61, 62, 75].map((minutes, i) => ({
    orderId: i + 1,
    why: { code: "left_alone" as const, untilMs: Date.parse("2026-09-01T06:00:00Z") + minutes * 60_000 }
  }))
  expect(
    LeftWords.ofOrders([...left, { orderId: 9, why: { code: "status_unread" } }], {
      zone: "Europe/Moscow"
    })
  ).toEqual([
    "3 orders, left alone, the first until 2026-09-01 10:01, the last until 2026-09-01 10:15: their buyers may still cancel them",
    "    1, 2, 3",
    "9: its status was not answered: look again in a minute"
  ])
})
