/** Requests that are refused because of some of their changes: how the door and the marketplace's words tell whose fault it was. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Halving from "../../src/engine/door/Halving.js"
import type { WriteBatch, WriteOutcome } from "../../src/engine/door/Writer.js"
import type { AdChange } from "../../src/engine/kinds/Change.js"
import * as Outcomes from "../../src/marketplace/writes/Outcomes.js"
import * as Fixture from "../store/Fixture.js"

const bidOf = (n: number, itemId = n + 1, cluster = `phrase ${n}`): AdChange =>
  Fixture.change(n, {
    kind: "cluster_bid",
    subject: { campaignId: CampaignId.make(7), itemId: ItemId.make(itemId), cluster: Cluster.make(cluster) }
  }) as AdChange

const batchOf = (changes: WriteBatch["changes"]) => ({ changes }) as WriteBatch

/** As `Send` does it: parts before others. The marketplace takes a request only when nothing in it is bad. */
const sent = (count: number, bad: ReadonlySet<number>) => {
  const halving = new Halving.Halving()
  const changes = Array.from({ length: count }, (_, n) => bidOf(n))
  const became = new Map<string, WriteOutcome["_tag"]>()
  const queue: Array<WriteBatch["changes"]> = [changes]
  const isBad = new Set(changes.filter((_, n) => bad.has(n)).map(({ id }) => id))
  let refusals = 0
  for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
    const spent = halving.spent(part)
    if (spent !== undefined) {
      for (const { id } of part) became.set(id, spent._tag)
      continue
    }
    const isRefused = part.some(({ id }) => isBad.has(id))
    if (isRefused) refusals++
    const outcome: WriteOutcome = isRefused
      ? { _tag: "Doubted", reason: { code: "refused", said: "bad request" } }
      : { _tag: "Accepted" }
    const { outcomes, parts } = halving.of(batchOf(part), new Map(part.map(({ id }) => [id, outcome])))
    for (const [id, { _tag }] of outcomes) became.set(id, _tag)
    queue.unshift(...parts)
  }
  const tags = changes.map(({ id }) => became.get(id))
  return { refusals, tags }
}

describe("a request that is refused without a name", () => {
  it("costs at most sixteen refusals, takes nothing bad, and leaves no change in doubt", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 100 }), (draws) => {
        const bad = new Set(draws.flatMap((isBad, n) => (isBad ? [n] : [])))
        const { refusals, tags } = sent(draws.length, bad)
        expect(refusals).toBeLessThanOrEqual(Halving.mostRefusals)
        expect(tags).not.toContain("Doubted")
        expect(tags.filter((tag, n) => tag === "Accepted" && bad.has(n))).toEqual([])
      })
    )
  })

  it("finds one or two bad rows of a hundred, and takes all others", () => {
    for (const bad of [[0], [99], [37], [3, 96], [49, 50]]) {
      const { tags } = sent(100, new Set(bad))
      expect(tags.flatMap((tag, n) => (tag === "Accepted" ? [] : [n]))).toEqual(bad)
      expect(bad.map((n) => tags[n])).toEqual(bad.map(() => "Rejected"))
    }
  })

  it("refuses nobody else once a part was taken: the rest is left to the next run", () => {
    const bad = new Set([5, 15, 25, 35, 45, 55, 65, 75, 85, 95])
    const { tags } = sent(100, bad)
    expect(tags.filter((tag, n) => tag === "Rejected" && !bad.has(n))).toEqual([])
    expect(tags).toContain("NotSent")
  })
})

describe("the words of a refusal", () => {
  const tagsOf = (words: string, changes: ReadonlyArray<AdChange>) => {
    const outcomes = Outcomes.ofReason(changes, words)
    return changes.map(({ id }) => outcomes.get(id)?._tag)
  }
  const pair = [bidOf(1, 10, "red dress"), bidOf(2, 10, "dress"), bidOf(3, 10, "blue coat")]

  it.each([
    ['phrase "red dress" is disabled', ["Rejected", "Spoiled", "Spoiled"]],
    ["phrases 'red dress', 'blue coat' are disabled", ["Rejected", "Spoiled", "Rejected"]],
    ["campaign 7, item 10: bad request", ["Doubted", "Doubted", "Doubted"]],
    ["item 100 is not in the campaign", ["Doubted", "Doubted", "Doubted"]]
  ])("%s", (words, tags) => {
    expect(tagsOf(words, pair)).toEqual(tags)
  })

  it("that name an item beside a phrase mean the phrase of that item", () => {
    const changes = [bidOf(1, 10, "hat"), bidOf(2, 20, "hat"), bidOf(3, 20, "coat")]
    expect(tagsOf("item 10: phrase hat is disabled", changes)).toEqual(["Rejected", "Spoiled", "Spoiled"])
  })
})
