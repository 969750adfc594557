/** An explanation's input where nothing is known but the facts and the plan. */
export const bare = {
  zone: "Europe/Moscow",
  readings: new Map(),
  remembered: new Map(),
  ownFacts: [],
  slots: new Map(),
  alone: new Map()
}
