/** What a policy asks and a day's snapshot does not have: no plan of that day read it. */
import * as Window from "../../domain/Window.js"
import * as Needs from "../facts/Needs.js"
import { factKey } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { AccountLimits, FactRef, Policy } from "../language/Policy.js"

/** The facts that no row of the snapshot has, as rules write them: `ctr[14d]`; sorted. */
export const facts = (
  policy: Policy,
  limits: AccountLimits,
  recorded: ReadonlySet<string>
): ReadonlyArray<string> => {
  const missing = Needs.factsOf(policy, limits).filter(
    (ref) => !recorded.has(factKey(ref)) && Vocabulary.byFactId(ref.id)?.source !== "clock"
  )
  return [...new Set(missing.map(word))].sort()
}

const word = ({ id, window }: FactRef): string => {
  const written = Vocabulary.byFactId(id)?.word ?? id
  return window === undefined ? written : `${written}[${Window.key(window)}]`
}
