/** A bid that `optimise` may set, and the intent of one that nothing becomes of. */
import type { CampaignId } from "../../../domain/Ids.js"
import * as Target from "../../../domain/Target.js"
import type { Table } from "../../facts/Table.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import type { Placement } from "../../language/Policy.js"
import type * as Core from "../../optimise/Stream.js"
import type { Ground, Intent, Still } from "../intents/Intent.js"

/** A bid that may be set, and the row whose bid it is. */
export interface Offer {
  /** Of a cluster made anew whenever it is asked for: there may be half a million, each of a kilobyte. */
  readonly stream: Core.Stream
  /** The row, of clusters or of items, with the rule of its campaign. */
  readonly ground: Ground
  /** What the row is. */
  readonly target: Target.Target
  /** The id of the stream as well. */
  readonly slot: string
  /** As the stream has them. */
  readonly budget: string
  readonly bidKopecks: number
  readonly standing: Core.Standing
  /** Of an item's bid: which. */
  readonly placement?: Placement
  /** Where one bid is for all: the clusters below it, which it moves together and of which each may become a minus phrase. */
  readonly parts?: ReadonlyArray<Offer>
  /** The stream without some of its parts, by their slots. */
  readonly without?: (slots: ReadonlySet<string>) => Core.Stream
}

/** What is asked of all clusters of a campaign. */
interface Clusters {
  readonly campaign: Ground
  readonly budget: string
  /** Of a cluster whose stream was made before. */
  readonly streamAt: (row: number, standing: Core.Standing) => Core.Stream
}

/** A row of a campaign that matches. */
export const groundOf = (campaign: Ground, table: Table, row: number): Ground => ({
  ...campaign,
  amounts: undefined,
  table,
  row,
  target: table.target(row)
})

/** A cluster by its row: what else is to be said of it is made when asked for. */
abstract class AtCluster {
  protected abstract readonly campaign: Ground

  constructor(protected readonly row: number) {}

  get ground(): Ground {
    return groundOf(this.campaign, this.campaign.table.view("cluster"), this.row)
  }

  get target(): Target.Target {
    return Target.ofSubject(this.campaign.table.view("cluster").target(this.row))!
  }

  get slot(): string {
    return ClusterBid.slot(this.target)
  }
}

/** A cluster's own bid. */
export class OfCluster extends AtCluster implements Offer {
  constructor(
    private readonly all: Clusters,
    row: number,
    readonly bidKopecks: number,
    readonly standing: Core.Standing
  ) {
    super(row)
  }

  protected get campaign(): Ground {
    return this.all.campaign
  }

  get budget(): string {
    return this.all.budget
  }

  get stream(): Core.Stream {
    return this.all.streamAt(this.row, this.standing)
  }

  resting(outcome: Still): Intent {
    return new Resting(this.all.campaign, this.row, outcome)
  }
}

/** The intent of a cluster that nothing becomes of. Half a million may wait for the others, when their offers are gone: none is held by one. */
export class Resting extends AtCluster implements Intent {
  constructor(
    protected readonly campaign: Ground,
    row: number,
    readonly outcome: Still
  ) {
    super(row)
  }

  get campaignId(): CampaignId | undefined {
    return this.campaign.target.campaignId
  }

  /** With its parts made, each once. */
  whole(): Intent {
    const { ground } = this
    const target = Target.ofSubject(ground.target)!
    return { ground, target, slot: ClusterBid.slot(target), outcome: this.outcome }
  }
}

/** The intent of an offer that nothing becomes of. */
export const resting = (offer: Offer, outcome: Still): Intent => {
  if (offer instanceof OfCluster) return offer.resting(outcome)
  const { ground, slot, target } = offer
  return { ground, target, slot, outcome }
}
