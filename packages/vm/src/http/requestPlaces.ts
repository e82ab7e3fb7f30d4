/** How many requests may be under way at once, to one host and of one project: others wait their turn. */

/** A request that has a place, or waits for one. */
export interface Seat {
  readonly projectId: string
  /** The host and its port. */
  readonly host: string
  /** Of this project, at all hosts. */
  readonly mostOfProject: number
  /** Called once, when the request may be sent; perhaps at once. */
  readonly begin: () => void
}

/** Counts by name; names without any are forgotten. */
class Counts {
  private readonly counts = new Map<string, number>()

  of(name: string): number {
    return this.counts.get(name) ?? 0
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change
    if (count > 0) this.counts.set(name, count)
    else this.counts.delete(name)
  }
}

const pairOf = ({ host, projectId }: Seat): string => `${projectId} ${host}`

/**
 * The places of one process. One project has at most half of a host's places, so that its slow requests leave others theirs; a place that
 * becomes free goes to the project that has the fewest at its host, and within it to the request that has waited longest.
 */
export class RequestPlaces {
  private readonly mostOfHost: number
  private readonly mostOfPair: number
  private readonly seated = new Set<Seat>()
  private readonly ofHost = new Counts()
  private readonly ofProject = new Counts()
  private readonly ofPair = new Counts()
  /** By project and host, each in the order in which they came. */
  private readonly waiting = new Map<string, Set<Seat>>()
  private isFilling = false

  constructor(mostOfHost: number) {
    this.mostOfHost = mostOfHost
    this.mostOfPair = Math.max(1, Math.floor(mostOfHost / 2))
  }

  /** How many have a place, and how many wait for one. */
  get counts(): { readonly seated: number; readonly waiting: number } {
    return { seated: this.seated.size, waiting: [...this.waiting.values()].reduce((sum, seats) => sum + seats.size, 0) }
  }

  /** Gives the request a place, or has it wait for one. */
  enter(seat: Seat): void {
    if (this.enterIfFree(seat)) return
    const pair = pairOf(seat)
    this.waiting.set(pair, (this.waiting.get(pair) ?? new Set()).add(seat))
  }

  /** Gives the request a place if there is one at once; whether there was. */
  enterIfFree(seat: Seat): boolean {
    const fits = this.fits(seat)
    if (fits) this.begin(seat)
    return fits
  }

  /** The request has ended, or waits no longer. Further calls do nothing. */
  leave(seat: Seat): void {
    if (!this.seated.delete(seat)) return this.stopWaiting(seat)
    this.count(seat, -1)
    this.fill()
  }

  private begin(seat: Seat): void {
    this.seated.add(seat)
    this.count(seat, 1)
    seat.begin()
  }

  private stopWaiting(seat: Seat): void {
    const pair = pairOf(seat)
    const seats = this.waiting.get(pair)
    if (seats?.delete(seat) === true && seats.size === 0) this.waiting.delete(pair)
  }

  private count(seat: Seat, change: 1 | -1): void {
    this.ofHost.add(seat.host, change)
    this.ofProject.add(seat.projectId, change)
    this.ofPair.add(pairOf(seat), change)
  }

  private fits(seat: Seat): boolean {
    return (
      this.ofHost.of(seat.host) < this.mostOfHost &&
      this.ofProject.of(seat.projectId) < seat.mostOfProject &&
      this.ofPair.of(pairOf(seat)) < this.mostOfPair
    )
  }

  /** A request that ends as it begins leaves within this loop, which then goes on. */
  private fill(): void {
    if (this.isFilling) return
    this.isFilling = true
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.stopWaiting(next)
      this.begin(next)
    }
    this.isFilling = false
  }

  private next(): Seat | undefined {
    let next: Seat | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [pair, [seat]] of this.waiting) {
      const count = this.ofPair.of(pair)
      if (seat === undefined || count >= fewest || !this.fits(seat)) continue
      next = seat
      fewest = count
    }
    return next
  }
}
