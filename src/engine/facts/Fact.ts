/** A word that rules may use, as the vocabulary says it. */
import type { FactType } from "./FactType.js"
import type { Level } from "./Level.js"
import type { SourceId } from "./Sources.js"

export interface Fact {
  /** `level.word`, such as `cluster.ctr`. */
  readonly id: string
  readonly level: Level
  /** How a rule writes it on a row of its own level: `ctr`, `campaign.status`, `recommended.reach_max`. */
  readonly word: string
  readonly type: FactType
  /** Unit for people: `per 1000 impressions`, `days`. */
  readonly unit: string
  readonly source: SourceId
  readonly windowed: boolean
  /** One sentence for hover and docs; formula for derived facts. */
  readonly about: string
  /** Of a derived fact: its formula in the rules language, on a row of its own level. */
  readonly formula?: string
}
