/**
 * Words that people bring from reports, other tools and Russian, and what says the same here. What is shown is always
 * something that checks on the rows of the rule: of several spellings the first whose facts those rows have.
 */
import * as Level from "../../facts/Level.js"
import type { Each } from "../Policy.js"

/** A field somebody meant. */
interface Meant {
  readonly words: ReadonlyArray<string>
  /** Values or conditions that say it, the best first; which one fits depends on the rows. */
  readonly write: ReadonlyArray<string>
  /** What else to know, as a sentence. */
  readonly note?: string
}

const statistic = (word: string, ...words: ReadonlyArray<string>): Meant => ({
  words,
  write: [word, `ad_${word}`, `item.${word}`]
})

const times = "Hours and days of a boost stand in during:, those of a whole policy in schedule:."
const ownTable = "It comes from a table of your own: a file in _shared with kind: facts."

const fields: ReadonlyArray<Meant> = [
  {
    words: ["drr", "дрр", "ддр", "доля_рекламных_расходов"],
    write: ["item.drr", "acos"],
    note: "acos is spend by the revenue of the ads; drr, by all revenue, is known per item: item.drr, or any(item.drr > 20%) of a campaign."
  },
  { words: ["дрр_рекламы", "акос", "asoc"], write: ["acos", "item.acos"] },
  {
    words: ["roas", "роас"],
    write: ["revenue / spend", "ad_revenue / ad_spend", "item.revenue / item.spend"]
  },
  {
    words: ["roi", "romi", "роми", "рои", "окупаемость"],
    write: ["item.romi"],
    note: `item.romi needs item.cost. ${ownTable}`
  },
  { words: ["position", "pos", "place", "rank", "позиция", "место", "средняя_позиция"], write: ["avg_pos"] },
  {
    words: ["stock", "stocks", "quantity", "остаток", "остатки", "склад", "наличие"],
    write: ["item.stock", "all(item.stock < 10)"]
  },
  {
    words: ["days_of_stock", "stock_days", "дней_запаса", "запас", "оборачиваемость"],
    write: ["item.stock_days", "all(item.stock_days < 3)"]
  },
  { words: ["бюджет", "budgets", "campaign_budget"], write: ["budget", "campaign.budget", "sum(budget)"] },
  { words: ["ставка", "ставки", "bids", "бид", "rate"], write: ["bid", "all(bid < 100 ₽)"] },
  { words: ["мин_ставка", "минимальная_ставка", "minimum_bid"], write: ["min_bid", "all(bid > min_bid)"] },
  statistic("clicks", "клики", "клик", "кликов", "click", "переходы"),
  statistic("views", "показы", "показ", "показов", "просмотры", "impressions", "imps", "impression", "shows"),
  statistic("orders", "заказы", "заказ", "заказов", "purchases", "conversions", "продажи", "sales", "buys"),
  statistic(
    "spend",
    "расход",
    "расходы",
    "затраты",
    "траты",
    "потрачено",
    "cost",
    "costs",
    "spent",
    "expense",
    "expenses"
  ),
  statistic("revenue", "выручка", "доход", "оборот", "turnover", "income", "revenues"),
  {
    words: ["carts", "корзина", "корзины", "корзин", "cart", "basket", "baskets", "add_to_cart"],
    write: ["carts"]
  },
  { words: ["кликабельность", "цтр", "стр", "ctr_percent"], write: ["ctr"] },
  { words: ["конверсия", "conversion", "conversion_rate", "cvr"], write: ["cr"] },
  { words: ["цена_клика", "cost_per_click", "срс_клика"], write: ["cpc"] },
  { words: ["цена_заказа", "стоимость_заказа", "cpa", "cost_per_order"], write: ["cpo"] },
  { words: ["цена", "price", "стоимость"], write: ["item.price", "any(item.price < 500 ₽)"] },
  { words: ["себестоимость", "cost_price", "закупка"], write: ["item.cost"], note: ownTable },
  { words: ["рейтинг", "rating", "stars", "оценка"], write: ["item.rating", "all(item.rating < 4)"] },
  { words: ["отзывы", "отзыв", "reviews", "feedbacks"], write: ["item.reviews", "sum(item.reviews)"] },
  { words: ["выкупы", "buyouts"], write: ["item.buyouts", "sum(item.buyouts)"] },
  {
    words: ["выкуп", "процент_выкупа", "доля_выкупа", "выкупаемость", "buyout", "buyout_rate"],
    write: ["buyout_share", "item.buyout_share", "any(item.buyout_share < 50%)"],
    note: "How many were bought out is item.buyouts."
  },
  {
    words: ["маржа", "маржинальность", "margin"],
    write: ["margin", "item.margin", "margin_at_plan_price", "any(item.margin < 5%)"]
  },
  {
    words: ["прибыль", "profit"],
    write: ["profit", "item.profit", "profit_at_plan_price", "any(item.profit < 0 ₽)"]
  },
  {
    words: [
      ...["запрос", "запросы", "ключ", "фраза", "кластер", "keyword", "keywords", "phrase", "search_term"],
      ...["cluster", "cluster.name", "cluster.title", "cluster.query"]
    ],
    write: ["query"]
  },
  {
    words: ["item.name", "item.title", "item.название", "item.имя"],
    write: [],
    note: `An item has no name here: ask for item.id or item.subject, or for a word of yours. ${ownTable}`
  },
  { words: ["название", "имя", "name", "title"], write: ["campaign.name", "promotion.name"] },
  { words: ["кампания", "campaign"], write: ["campaign.name"] },
  { words: ["статус", "state", "состояние"], write: ["campaign.status"] },
  { words: ["оплата", "тип_оплаты", "payment_type", "модель_оплаты"], write: ["campaign.payment"] },
  { words: ["предмет", "категория", "category", "subject"], write: ["item.subject"] },
  {
    words: ["артикул", "sku", "nm", "nm_id", "item_id", "article", "товар"],
    write: ["item.id", "any(item.id = 1)"]
  },
  {
    words: ["минус", "минусы", "минус_фразы", "negatives", "in_minus"],
    write: ["cluster.in_minus", "minus.count"]
  },
  { words: ["баланс", "счет", "счёт", "wallet", "кошелёк", "кошелек"], write: ["balance"] },
  { words: ["бонусы", "bonuses", "кэшбэк"], write: ["balance.bonus"] },
  { words: ["возраст", "age", "campaign_age"], write: ["campaign.age"] },
  {
    words: ["created", "created_at", "создана", "дата_создания"],
    write: [],
    note: "There is an age and no date: what was created less than a week ago is campaign.age < 7d."
  },
  {
    words: ["weekday", "day", "dow", "day_of_week", "день", "день_недели", "дни"],
    write: ["weekday"],
    note: times
  },
  { words: ["hour", "time", "час", "часы", "время", "hours"], write: ["hour"], note: times },
  {
    words: ["tags", "tag", "labels", "label", "метка", "метки", "тег", "теги", "ярлык", "ярлыки"],
    write: ["campaign.labels", "item.labels"],
    note: ownTable
  }
]

const byWord: ReadonlyMap<string, Meant> = new Map(
  fields.flatMap((meant) => meant.words.map((word) => [word, meant]))
)

/** Every word of the table, for a test that asks each. */
export const fieldWords: ReadonlyArray<string> = [...byWord.keys()]

/** True of a word for which there are several fields that differ, as its note tells. */
export const isAmbiguous = (word: string): boolean => {
  const meant = byWord.get(word.toLowerCase().replaceAll("-", "_"))
  return meant?.note !== undefined && meant.write.length > 1
}

/** What stands before the point of a field. */
const levels = new Map([
  ["кампания", "campaign"],
  ["товар", "item"],
  ["кластер", "cluster"]
])

/** What somebody meant by a field that does not exist. */
export interface Advice {
  /** Something that can be written on these rows; absent when they have nothing of the kind. */
  readonly write?: string
  /** Rows that have it, when these do not: a spelling and their `each:`. */
  readonly elsewhere?: { readonly write: string; readonly each: Each }
  readonly note?: string
}

/**
 * Of a word in a condition on rows of `each`; undefined for a word nobody brings. `exists` says whether a word is a
 * fact on rows of a level.
 */
export const field = (
  word: string,
  each: Each,
  exists: (word: string, each: Each) => boolean
): Advice | undefined => {
  const bare = word
    .toLowerCase()
    .replaceAll("-", "_")
    .replace(/^[^.]+(?=\.)/, (level) => levels.get(level) ?? level)
  const whole = byWord.get(bare)
  const [, of, last = ""] = /^(campaign|item|cluster|account)\.(.*)/.exec(bare) ?? []
  const meant = whole ?? byWord.get(last)
  if (meant === undefined) return undefined
  // What a campaign or a promotion is called says nothing of whoever else was asked for.
  const isOthers = (text: string) =>
    whole === undefined && !text.startsWith(`${of}.`) && /^(campaign|promotion)\./.test(text)
  const spellings = meant.write.filter((text) => !isOthers(text))
  if (spellings.length === 0 && meant.note === undefined) return undefined
  const note = meant.note === undefined ? {} : { note: meant.note }
  const fits = (text: string, level: Each) => {
    const below = /^(?:all|any|sum)\((.*)\)$/.exec(text)
    const on = below === null ? level : Level.below(level)
    return on !== undefined && factsIn(below?.[1] ?? text).every((fact) => exists(fact, on))
  }
  const write = spellings.find((text) => text !== word && fits(text, each))
  if (write !== undefined) return { write, ...note }
  for (const text of spellings)
    for (const level of Level.order)
      if (level !== each && fits(text, level)) return { elsewhere: { write: text, each: level }, ...note }
  return note
}

/** The words of a spelling of the table; numbers and the rouble sign are none. */
const factsIn = (text: string): ReadonlyArray<string> => text.match(/[a-z_][a-z_.]*/g) ?? []

/** What stands before the words of another tool for an action, a key or a value. */
const meanings = (table: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([own, words]) => words.map((word) => [word, own])))

const actions = meanings({
  pause: ["stop", "off", "disable", "halt", "пауза", "стоп", "остановить", "приостановить", "выключить"],
  start: ["resume", "run", "on", "enable", "activate", "unpause", "старт", "запуск", "запустить", "включить"],
  raise_bid: [
    "raise",
    "increase",
    "increase_bid",
    "bid_up",
    "повысить",
    "поднять",
    "увеличить",
    "повысить_ставку"
  ],
  lower_bid: [
    "lower",
    "decrease",
    "decrease_bid",
    "reduce",
    "reduce_bid",
    "bid_down",
    "снизить",
    "понизить",
    "снизить_ставку"
  ],
  set_bid: ["bid", "set", "ставка", "установить", "установить_ставку", "change_bid"],
  adjust_bid: ["boost", "multiply", "overlay", "усилить", "коэффициент"],
  add_minus: ["minus", "exclude", "negative", "add_negative", "block", "минус", "минусовать", "исключить"],
  remove_minus: ["include", "unminus", "unblock", "вернуть", "убрать_минус"],
  deposit: ["topup", "top_up", "add_budget", "budget", "пополнить", "пополнение", "бюджет"],
  notify: [
    "telegram",
    "email",
    "mail",
    "message",
    "alert",
    "slack",
    "webhook",
    "send",
    "сообщить",
    "уведомить",
    "уведомление",
    "телеграм"
  ]
})

const keys = meanings({
  when: ["if", "condition", "conditions", "unless", "если", "когда", "условие", "условия"],
  version: ["версия"],
  rules: ["правила"],
  do: ["then", "action", "actions", "то", "действие", "действия", "сделать"],
  where: ["filter", "filters", "scope", "for", "где", "фильтр"],
  each: ["level", "target", "entity", "foreach", "for_each", "уровень", "каждый"],
  window: ["period", "range", "lookback", "days_back", "период", "окно"],
  schedule: ["cron", "frequency", "interval", "run_at", "расписание", "частота"],
  mode: ["enabled", "active", "режим", "dry_run"],
  tier: ["priority", "приоритет", "order"],
  cooldown: ["delay", "throttle", "wait", "задержка"],
  limits: ["limit", "лимит", "лимиты", "ограничения"],
  name: ["title", "название", "имя"],
  cap: ["max", "maximum", "max_bid", "ceiling", "макс", "максимум"],
  floor: ["min", "minimum", "min_bid", "мин", "минимум"],
  by: ["step", "percent", "на", "шаг"],
  to: ["value", "до"],
  amount: ["sum", "money", "сумма"],
  text: ["message", "body", "текст"]
})

const values = meanings({
  active: ["активна", "активно", "активен", "активная", "включена", "running", "enabled", "on", "started"],
  paused: ["пауза", "на_паузе", "приостановлена", "остановлена", "stopped", "disabled", "off", "inactive"],
  completed: ["завершена", "завершено", "finished", "ended", "done"],
  ready: ["готова", "новая", "draft", "new"],
  deleted: ["удалена", "removed"],
  manual: ["ручная", "ручной", "custom"],
  unified: ["единая", "auto", "automatic", "авто"],
  mon: ["пн", "monday", "понедельник"],
  tue: ["вт", "tuesday", "вторник"],
  wed: ["ср", "wednesday", "среда"],
  thu: ["чт", "thursday", "четверг"],
  fri: ["пт", "friday", "пятница"],
  sat: ["сб", "saturday", "суббота"],
  sun: ["вс", "sunday", "воскресенье"],
  campaign: ["campaigns", "кампания", "кампании", "ad"],
  campaign_item: ["product", "products", "товар", "товары", "sku"],
  cluster: ["keyword", "keywords", "query", "queries", "phrase", "кластер", "запрос"],
  preview: ["dry_run", "test", "draft", "просмотр"],
  disabled: ["выключено", "off", "no"],
  yes: ["да", "1"],
  no: ["нет", "0"]
})

const among = (table: ReadonlyMap<string, string>) => (word: string, known: ReadonlyArray<string>) => {
  const own = table.get(word.trim().toLowerCase().replaceAll(/[-\s]/g, "_"))
  return own !== undefined && known.includes(own) ? own : undefined
}

/** The action of `known` that a word of another tool means. */
export const action = among(actions)
/** The key of `known` that a word of another tool means. */
export const key = among(keys)
/** What to write for a key of another tool that is none by another name. */
export const keyNote = (key: string, known: ReadonlyArray<string>): string | undefined =>
  known.includes("when") ? notes.get(key.toLowerCase()) : undefined

const notes = new Map([
  ["unless", "Write when: not (…)."],
  ["else", "Several rules stand in a list below rules:, and the first that holds acts."]
])

/** The word of `known` that a value means: a status, a day, a level. */
export const value = among(values)

/** The days of `week` that a text names, one or several: `пн-пт`, `mon, tue`, `weekdays`. */
export const days = <Day extends string>(
  text: string,
  week: ReadonlyArray<Day>
): ReadonlyArray<Day> | undefined => {
  const place = (word: string) => week.findIndex((day) => day === (value(word, week) ?? word.toLowerCase()))
  const parts = text.trim().split(/\s*[,;]\s*/)
  const found = parts.flatMap((part): ReadonlyArray<Day | undefined> => {
    const ends = (spans.get(part.toLowerCase()) ?? part).split(/\s*[-–—]\s*/).map(place)
    const [first = -1, last = first] = ends
    if (ends.length > 2 || first < 0 || last < 0) return [undefined]
    const count = ((last - first + week.length) % week.length) + 1
    return Array.from({ length: count }, (_, at) => week[(first + at) % week.length])
  })
  const known = found.filter((day) => day !== undefined)
  return known.length === found.length ? known : undefined
}

const spans = new Map([
  ["weekdays", "mon-fri"],
  ["workdays", "mon-fri"],
  ["будни", "mon-fri"],
  ["weekend", "sat-sun"],
  ["weekends", "sat-sun"],
  ["выходные", "sat-sun"],
  ["daily", "mon-sun"],
  ["ежедневно", "mon-sun"]
])
