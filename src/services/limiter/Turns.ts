/** A queue in which consumers take turns: first come, first served within one, one after the other between them. */
export class Turns<A> {
  /** Consumers in the order of their next turns; never empty ones. */
  private readonly consumers = new Map<string, Set<A>>()
  private waiting = 0

  get size(): number {
    return this.waiting
  }

  add(consumer: string, one: A): void {
    const own = this.consumers.get(consumer)
    if (own === undefined) this.consumers.set(consumer, new Set([one]))
    else own.add(one)
    this.waiting++
  }

  /** Takes the next one; its consumer goes to the end of the round. */
  take(): A | undefined {
    for (const [consumer, own] of this.consumers) {
      for (const one of own) {
        this.remove(consumer, one)
        if (own.size > 0) {
          this.consumers.delete(consumer)
          this.consumers.set(consumer, own)
        }
        return one
      }
    }
    return undefined
  }

  /** Answers whether it was still waiting. */
  remove(consumer: string, one: A): boolean {
    const own = this.consumers.get(consumer)
    if (own === undefined || !own.delete(one)) return false
    if (own.size === 0) this.consumers.delete(consumer)
    this.waiting--
    return true
  }

  /** Everybody in the order of turns as they stand. */
  *inOrder(): Generator<A> {
    let round = [...this.consumers.values()].map((own) => own.values())
    while (round.length > 0) {
      const next: typeof round = []
      for (const own of round) {
        const one = own.next()
        if (one.done === true) continue
        yield one.value
        next.push(own)
      }
      round = next
    }
  }
}
