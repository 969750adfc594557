/** Says that other rules are in force. A folder that was emptied, or not mounted, has rules without errors too. */
import * as Effect from "effect/Effect"
import * as DueLook from "./DueLook.js"
import type { Loaded } from "./RuleSource.js"

export const tell = ({ rules, version }: Loaded): Effect.Effect<void> => {
  const count = DueLook.scheduled(rules).length
  const told = { event: "reloaded", rules: version, policies: rules.policies.length, scheduled: count }
  return count === 0
    ? Effect.logWarning(`rules ${version} are in force: no policy has a schedule, so nothing runs`, told)
    : Effect.logInfo(
        `rules ${version} are in force: ${count} of ${rules.policies.length} policies have a schedule`,
        told
      )
}
