/** Targets as the keys of slots write them, and back. */
import { CampaignId, Cluster, ItemId, PromotionId } from "../../domain/Ids.js"
import type { PromotionItemTarget, Target } from "../../domain/Target.js"

/** `777` */
export const campaignOf = (rest: string): Target | undefined =>
  /^\d+$/.test(rest) ? { campaignId: CampaignId.make(Number(rest)) } : undefined

/** What a kind with one slot for each campaign has by its prefix: the slot's key, and back. */
export const ofCampaign = (prefix: string) => ({
  prefix,
  slotOf: ({ subject }: { readonly subject: { readonly campaignId?: CampaignId } }): string =>
    `${prefix}:${subject.campaignId}`,
  targetOf: campaignOf
})

/** `777/1001` */
export const pairOf = (rest: string): Target | undefined => {
  const found = /^(\d+)\/(\d+)$/.exec(rest)
  return found === null ? undefined : pair(found[1], found[2])
}

/** `777/1001/search`: all but the last part. */
export const itemOf = (rest: string): Target | undefined => {
  const found = /^(\d+)\/(\d+)\/[^/]*$/.exec(rest)
  return found === null ? undefined : pair(found[1], found[2])
}

/** `777/1001/женские кеды`; the cluster may have slashes of its own. */
export const clusterOf = (rest: string): Target | undefined => {
  const found = /^(\d+)\/(\d+)\/(.*)$/s.exec(rest)
  return found === null ? undefined : { ...pair(found[1], found[2]), cluster: Cluster.make(found[3] ?? "") }
}

/** `2001/1001`: a promotion and an item. */
export const promotionItemOf = (rest: string): PromotionItemTarget | undefined => {
  const found = /^(\d+)\/(\d+)$/.exec(rest)
  return found === null
    ? undefined
    : { promotionId: PromotionId.make(Number(found[1])), itemId: ItemId.make(Number(found[2])) }
}

const pair = (campaign: string | undefined, item: string | undefined) => ({
  campaignId: CampaignId.make(Number(campaign)),
  itemId: ItemId.make(Number(item))
})
