/** How a change of a bid under an overlay is said to a person. */
import { format, Kopecks } from "../../domain/Money.js"
import type { Change } from "../../engine/decide/Plan.js"
import { currencySign } from "../../engine/facts/Print.js"

/**
 * `evening-boost +20% over base 440 ₽`, `evening-boost is over, the base returns`, `base 440 → 484 ₽ under
 * evening-boost +20%`; undefined for a bid without an overlay.
 */
export const described = (
  change: Omit<Change, "moneyPerDayKopecks">,
  currency: string
): string | undefined => {
  const { baseBeforeKopecks: before, baseKopecks: base, overlayBasisPoints: share, overlayPolicy } = change
  if (base === undefined || share === undefined || overlayPolicy === undefined) return undefined
  if (share === 0) return `${overlayPolicy} is over, the base returns`
  const shown = (kopecks: number) => format(Kopecks(kopecks), currencySign(currency))
  const overlay = `${overlayPolicy} ${share > 0 ? "+" : ""}${share / 100}%`
  return before === undefined || before === base
    ? `${overlay} over base ${shown(base)}`
    : `base ${shown(before)} → ${shown(base)} under ${overlay}`
}
