/**
 * What a bid wins of a stream, and what that costs. The highest bid against ours is drawn for each view from a
 * log-logistic distribution around the rival's bid; whoever bids more is seen. So the share that a bid wins is
 * b^e / (b^e + r^e), half of the views at the rival's bid.
 */
import * as Market from "../Market.js"

export interface Auction {
  /** The bid that wins half of the views, kopecks per 1000 views or per click. */
  readonly rivalKopecks: number
  /** How steeply the share rises with the bid, `e`. */
  readonly exponent: number
  /** By which power rivals raise their bid where ours exceeds it; 0: they do not. */
  readonly answer: number
  /** By which power of the place clicks fall; 0: every place is clicked alike. */
  readonly byPlace: number
  readonly price: "first" | "second"
  /** The smallest price of the second-price auction. */
  readonly floorKopecks: number
}

/** What a bid wins, for each view that there is to win. */
export interface Won {
  readonly share: number
  /** Kopecks per 1000 views or per click that were won. */
  readonly paidKopecks: number
  /** Mean place of what was won: 1 is the first, 41 the last. */
  readonly place: number
  /** How many times the stream's CTR these views have. */
  readonly clicks: number
}

/** A bid of 0 wins nothing. */
export const won = (auction: Auction, bidKopecks: number): Won => {
  const share = shareOf(auction, bidKopecks)
  const place = 1 + 40 * (1 - share)
  return {
    share,
    paidKopecks: auction.price === "first" ? bidKopecks : secondPrice(auction, bidKopecks, share),
    place,
    clicks: auction.byPlace === 0 ? 1 : (middlePlace / place) ** auction.byPlace
  }
}

/** The place whose CTR is the stream's own. */
const middlePlace = 21

/** Share of the views a bid wins: rises with the bid, never reaches 1. */
export const shareOf = (auction: Auction, bidKopecks: number): number => {
  if (bidKopecks <= 0) return 0
  const { answer, exponent, rivalKopecks } = auction
  const rival =
    answer > 0 && bidKopecks > rivalKopecks
      ? rivalKopecks * (bidKopecks / rivalKopecks) ** answer
      : rivalKopecks
  return Market.reach(bidKopecks, rival, exponent)
}

/**
 * What is paid on average: the highest other bid, given that it is below ours, and no less than the floor. It is
 * b − ∫F / F(b), the integral of the share F taken from the floor to our bid.
 */
const secondPrice = (auction: Auction, bidKopecks: number, share: number): number => {
  const { floorKopecks } = auction
  if (bidKopecks <= floorKopecks || share === 0) return bidKopecks
  // In steps of the logarithm, for the share is a smooth function of it.
  const step = Math.log(bidKopecks / floorKopecks) / pieces
  let sum = 0
  for (let i = 0; i <= pieces; i++) {
    const weight = i === 0 || i === pieces ? 1 : i % 2 === 1 ? 4 : 2
    const bid = floorKopecks * Math.exp(i * step)
    sum += weight * bid * shareOf(auction, bid)
  }
  return bidKopecks - (sum * step) / 3 / share
}

/** Pieces of Simpson's rule; even. */
const pieces = 96
