/** The executors that an edge knows of: their beats, what was given to them since, and which of them takes a run next. No clock in here. */
import type { Beat } from "../contract/replies.ts"
import { contractVersion } from "../contract/subjects.ts"

/** Without a beat for so long, in ms, an executor gets nothing new. Beats come every 200 ms. */
export const beatLostMs = 1_000

/** After this long, in ms, it is forgotten. */
const forgottenMs = 60_000

/** What a run asks of its executor. */
export interface Need {
  /** Those that must not get it. */
  readonly except: ReadonlySet<string>
  /** The virtual machine that has made its tape; undefined: any. */
  readonly engine: string | undefined
}

interface Known {
  readonly beat: Beat
  readonly beatMs: number
  /** Runs that it takes still, as far as we know. */
  free: number
}

/** The executors of one net, as one edge sees them. */
export class Roster {
  private readonly zone: string
  private readonly known = new Map<string, Known>()
  private readonly random: () => number

  /** Executors of this zone are preferred. `random` draws from 0 to below 1. */
  constructor(zone: string, random: () => number = Math.random) {
    this.zone = zone
    this.random = random
  }

  /** An executor has told of itself. */
  beat(beat: Beat, nowMs: number): void {
    this.known.set(beat.id, { beat, beatMs: nowMs, free: beat.free })
    for (const [id, { beatMs }] of this.known) if (nowMs - beatMs > forgottenMs) this.known.delete(id)
  }

  /** It was offered a run. */
  offered(id: string): void {
    const one = this.known.get(id)
    if (one !== undefined) one.free = Math.max(0, one.free - 1)
  }

  /** A run of ours on it has ended. */
  freed(id: string): void {
    const one = this.known.get(id)
    if (one !== undefined && one.beat.takesNone !== true) one.free += 1
  }

  /** It takes nothing: until its next beat, or until a run of ours on it ends. */
  full(id: string): void {
    const one = this.known.get(id)
    if (one !== undefined) one.free = 0
  }

  /** It has died, frozen, or does not understand us. It is back with its next beat. */
  lost(id: string): void {
    this.known.delete(id)
  }

  /** How many executors live. */
  count(nowMs: number): number {
    return this.living(nowMs).length
  }

  /** How many of them take runs, now or when others have ended. */
  countTaking(nowMs: number): number {
    return this.living(nowMs).filter(({ beat }) => beat.takesNone !== true && beat.contracts.includes(contractVersion)).length
  }

  /**
   * The executor for a run: of our zone if there is one that fits, else of any. Of two that are drawn by chance, by their free places, the one
   * with more of them: who always takes the best by beats of 200 ms ago sends the runs of all edges to the same few.
   */
  pick({ engine, except }: Need, nowMs: number): string | undefined {
    const fitting = this.living(nowMs).filter(
      ({ beat, free }) =>
        free > 0 && !except.has(beat.id) && beat.contracts.includes(contractVersion) && (engine === undefined || beat.engine === engine)
    )
    const near = fitting.filter(({ beat }) => beat.zone === this.zone)
    const chosen = near.length > 0 ? near : fitting
    const total = chosen.reduce((sum, { free }) => sum + free, 0)
    const [one, other] = [this.drawn(chosen, total), this.drawn(chosen, total)]
    return (one !== undefined && other !== undefined && other.free > one.free ? other : one)?.beat.id
  }

  private drawn(chosen: ReadonlyArray<Known>, total: number): Known | undefined {
    let left = this.random() * total
    return chosen.find(({ free }) => (left -= free) < 0) ?? chosen.at(-1)
  }

  /** Whether executors live and none of them has a free place. */
  isFull(nowMs: number): boolean {
    const living = this.living(nowMs)
    return living.length > 0 && living.every(({ free }) => free === 0)
  }

  /** Whether any living executor, free or not, has this virtual machine and may have the run. */
  has({ engine, except }: Need, nowMs: number): boolean {
    return this.living(nowMs).some(({ beat }) => !except.has(beat.id) && (engine === undefined || beat.engine === engine))
  }

  private living(nowMs: number): ReadonlyArray<Known> {
    return [...this.known.values()].filter(({ beatMs }) => nowMs - beatMs <= beatLostMs)
  }
}
