/** The seller's goods as the analytics reports name them, and which of them a request asks for. */
import * as TextOrder from "../../domain/TextOrder.js"
import * as Dice from "../Dice.js"
import * as Blueprint from "../market/Blueprint.js"
import * as Buyers from "../market/Buyers.js"
import * as World from "../market/World.js"
import * as Sales from "../shop/Sales.js"

/** The seller's label on items. */
interface Tag {
  readonly id: number
  readonly name: string
}

/** Filters of a request, under one name whatever the operation spells (field note A16). Empty means all. */
export interface Filter {
  readonly itemIds?: ReadonlyArray<number> | undefined
  readonly subjectIds?: ReadonlyArray<number> | undefined
  readonly brandNames?: ReadonlyArray<string> | undefined
  readonly tagIds?: ReadonlyArray<number> | undefined
  readonly skipDeleted?: boolean | undefined
}

const tags: ReadonlyArray<Tag> = [
  { id: 1, name: "Новинки" },
  { id: 2, name: "Хиты" },
  { id: 3, name: "Сезон" }
]
const brands: ReadonlyArray<string> = ["Северный лис", "Ольха", "Тёплый дом", "Маяк"]

/** Whose goods, and when: the price is that of the instant. */
interface Look {
  readonly world: World.World
  readonly nowMs: number
}

const byId = ({ nowMs, world }: Look, id: number) => {
  const item = World.item(world, id)
  const hash = Dice.roll(world.seed, 901, id)
  const brand = Dice.uint(Dice.mix(hash, 1)) % brands.length
  return {
    id,
    title: item.name,
    vendorCode: Sales.article(id),
    brandName: brands[brand] ?? "",
    subjectId: item.subject.id,
    subjectName: item.subject.name,
    tags: tags.filter((tag) => Dice.unit(Dice.mix(hash, 10 + tag.id)) < 0.35),
    /** Its card is deleted; reports show it unless asked not to. */
    isDeleted: !isAdvertisable(world, id) && Dice.unit(Dice.mix(hash, 2)) < 0.2,
    /** Found under the article of another item too. */
    isSubstituted: Dice.unit(Dice.mix(hash, 3)) < 0.15,
    priceKopecks: Buyers.priceKopecks(world, id, nowMs)
  }
}

export type Good = Readonly<ReturnType<typeof byId>>

/** Items the campaigns began with are never deleted. */
const isAdvertisable = (world: World.World, id: number): boolean =>
  id < Blueprint.firstItemId + world.scale.campaigns * world.scale.items

/** A filter by one value, where one value stands for all. */
export const oneOrAll = <A>(value: A | undefined, all: A): ReadonlyArray<A> =>
  value === undefined || value === all ? [] : [value]

/** Goods that pass every filter, by item number. Ids the seller does not have are passed over. */
export const select = (look: Look, filter: Filter): ReadonlyArray<Good> => {
  const { subjectIds = [], brandNames = [], tagIds = [] } = filter
  const has = <A>(list: ReadonlyArray<A>, value: A): boolean => list.length === 0 || list.includes(value)
  return idsOf(look.world, filter.itemIds ?? [])
    .map((id) => byId(look, id))
    .filter(
      (good) =>
        has(subjectIds, good.subjectId) &&
        has(brandNames, good.brandName) &&
        (tagIds.length === 0 || good.tags.some((tag) => tagIds.includes(tag.id))) &&
        !(filter.skipDeleted === true && good.isDeleted)
    )
}

const idsOf = (world: World.World, asked: ReadonlyArray<number>): ReadonlyArray<number> => {
  return asked.length === 0
    ? Sales.items(world)
    : [...new Set(asked)].filter((id) => World.hasItem(world, id)).sort((a, b) => a - b)
}

/** What stock and search reports call a group: a subject and brand, and the label that was asked for. */
export interface Group {
  readonly subjectId: number
  readonly subjectName: string
  readonly brandName: string
  readonly tag: Tag | undefined
  readonly goods: ReadonlyArray<Good>
}

/** Splits goods by subject and brand, and by label where labels are filtered by; in order of those. */
export const groups = (
  goods: ReadonlyArray<Good>,
  tagIds: ReadonlyArray<number> = []
): ReadonlyArray<Group> => {
  const asked = tags.filter((tag) => tagIds.includes(tag.id))
  const found = new Map<string, Group & { readonly goods: Array<Good> }>()
  for (const good of goods)
    for (const tag of asked.length === 0 ? [undefined] : asked) {
      if (tag !== undefined && !good.tags.includes(tag)) continue
      const { subjectId, subjectName, brandName } = good
      const key = `${subjectId} ${brands.indexOf(brandName)} ${tag?.id ?? 0}`
      const group = found.get(key) ?? { subjectId, subjectName, brandName, tag, goods: [] }
      group.goods.push(good)
      found.set(key, group)
    }
  return [...found].sort(TextOrder.byKey).map(([, group]) => group)
}
