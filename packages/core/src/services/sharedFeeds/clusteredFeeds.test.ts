/** Servers that share a feed: one of them runs each tick, all subscribers are sent it, and another one goes on when it dies; in model time. */
import { makeSimClock, makeSimRuntime, type SimClock } from "@sibyl/testing"
import { Context, Effect, Exit, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import type { FeedMode } from "../../domain/runs/feedSchedule.ts"
import { Entropy } from "../../ports/entropy.ts"
import { FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { FeedRelay, memoryRelay } from "../../ports/feeds/feedRelay.ts"
import { emptyState } from "../../ports/memory/memoryState.ts"
import { memoryFeedLeases } from "../../ports/memory/memoryFeedLeases.ts"
import { Feeds } from "../feeds/feeds.ts"
import { LeaseKeeper } from "../feeds/leaseKeeper.ts"
import type { Subscription } from "./sharedFeed.ts"
import { SharedFeeds } from "./sharedFeeds.ts"

const periodMs = 100
const feedKey = "ab".repeat(32)
const servers = 3

type Told = { readonly seq: number; readonly runId: string } | { readonly missed: number }

class Guest {
  readonly told: Array<Told> = []
  subscription: Subscription | undefined
  get seqs(): ReadonlyArray<number> {
    return this.told.flatMap((each) => ("seq" in each ? [each.seq] : []))
  }
}

interface Ran {
  readonly runId: string
  readonly server: number
  readonly atMs: number
}

/**
 * Some servers over one store and one relay; each can be stopped as a process is: nothing that it sends to others arrives, nothing returns
 * to it, and what it would tell its own guests it tells when it goes on.
 */
const open = (clock: SimClock, mode: FeedMode, runMs = 5) => {
  const state = emptyState("test")
  const leases = memoryFeedLeases(state)
  const relay = memoryRelay("test")
  const ran: Array<Ran> = []
  const stopped = new Set<number>()
  const waiting = new Map<number, Array<() => void>>()
  const later = (server: number, what: () => void): void => void waiting.set(server, [...(waiting.get(server) ?? []), what])

  const serverOf = (server: number) => {
    /** What a stopped process asks for, it asks when it goes on. */
    const gated = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() =>
        stopped.has(server)
          ? Effect.zipRight(
              Effect.async<void>((resume) => later(server, () => resume(Effect.void))),
              effect
            )
          : effect
      )
    const ports = Layer.mergeAll(
      Feeds.layer,
      Entropy.layer,
      Layer.succeed(FeedRelay, {
        scope: "test",
        publish: (key, news) => !stopped.has(server) && relay.publish(key, news),
        subscribe: (key, onNews) => relay.subscribe(key, (news) => void (stopped.has(server) || onNews(news)))
      }),
      Layer.succeed(FeedLeases, {
        acquire: (input) => gated(leases.acquire(input)),
        renew: (held, leaseMs) => gated(leases.renew(held, leaseMs)),
        advance: (lease, to) => gated(leases.advance(lease, to)),
        beginEpoch: (lease) => gated(leases.beginEpoch(lease)),
        release: (lease, forget) => gated(leases.release(lease, forget))
      })
    )
    const { close, runtime } = makeSimRuntime(clock, Layer.provide(SharedFeeds.layer, Layer.provideMerge(LeaseKeeper.layer, ports)))
    const shared = Context.get(runtime.context, SharedFeeds)
    const join = (): Guest => {
      const guest = new Guest()
      const tell = ({ text }: EncodedText): void => {
        const hear = (): void => void guest.told.push(JSON.parse(text) as Told)
        if (stopped.has(server)) later(server, hear)
        else hear()
      }
      guest.subscription = shared.join<string, never>(
        {
          feedKey,
          mode,
          periodMs,
          maxOverlap: 4,
          messageOf: ({ exit, seq }) => new EncodedText(JSON.stringify({ seq, runId: Exit.isSuccess(exit) ? exit.value : "failed" })),
          gapOf: (missed) => new EncodedText(JSON.stringify({ missed }))
        },
        {
          mayRead: () => true,
          send: tell,
          run: (runId = "own") =>
            Effect.suspend(() => {
              if (!stopped.has(server)) ran.push({ runId, server, atMs: clock.nowMs() })
              return Effect.as(Effect.sleep(runMs), runId)
            })
        }
      )
      return guest
    }
    return { close, join }
  }
  const all = Array.from({ length: servers }, (_, server) => serverOf(server))
  return {
    ran,
    join: (server: number): Guest => {
      const found = all[server % servers]
      if (found === undefined) throw new Error("no such server")
      return found.join()
    },
    stop: (server: number) => void stopped.add(server),
    /** A copy of the store as it is now; what is answered puts it in the store's place. */
    copyOfStore: () => {
      const copy = [...state.feedSchedules]
      return () => {
        state.feedSchedules.clear()
        for (const [key, record] of copy) state.feedSchedules.set(key, record)
      }
    },
    goOn: (server: number) => {
      stopped.delete(server)
      for (const resume of waiting.get(server)?.splice(0) ?? []) resume()
    },
    close: () => {
      for (const server of stopped) waiting.delete(server)
      for (const { close } of all) close()
    }
  }
}

/** Numbers that a guest was neither told nor told to have missed, between its first and its last. */
const untold = ({ told }: Guest): number => {
  let [next, missing]: [number | undefined, number] = [undefined, 0]
  for (const each of told) {
    if ("missed" in each) next = next === undefined ? undefined : next + each.missed
    else {
      if (next !== undefined) missing += each.seq - next
      next = each.seq + 1
    }
  }
  return missing
}

describe("servers that share a feed", () => {
  it.each(["FIXED", "SEQUENTIAL", "PARALLEL"] as const)("run each tick of %s once, and send it to everyone", (mode) => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, mode)
    const guests = [0, 1, 2, 0].map((server) => cluster.join(server))
    clock.advance(10_000)
    expect(new Set(cluster.ran.map(({ server }) => server)).size).toBe(1)
    expect(cluster.ran.length).toBeGreaterThan(90)
    expect(new Set(cluster.ran.map(({ runId }) => runId)).size).toBe(cluster.ran.length)
    for (const { told } of guests) expect(told).toEqual(guests[0]?.told)
    expect(guests[0]?.seqs).toEqual(cluster.ran.map((_, seq) => seq).slice(0, guests[0]?.seqs.length))
    cluster.close()
  })

  it("go on at once when the owner's last subscriber leaves, with the number that is next", () => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, "FIXED")
    const owner = cluster.join(0)
    clock.advance(1_000)
    const other = cluster.join(1)
    clock.advance(1_050)
    const before = cluster.ran.length
    owner.subscription?.stop()
    clock.advance(1_000)
    expect(cluster.ran.length - before).toBeGreaterThanOrEqual(9)
    expect(new Set(cluster.ran.slice(before).map(({ server }) => server))).toEqual(new Set([1]))
    expect(untold(other)).toBe(0)
    expect(new Set(other.seqs).size).toBe(other.seqs.length)
    cluster.close()
  })

  it("take over within three seconds from an owner that dies, and none from one that only froze for a moment", () => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, "FIXED")
    cluster.join(0)
    clock.advance(500)
    const [one, other] = [cluster.join(1), cluster.join(2)]
    clock.advance(1_000)
    cluster.stop(0)
    clock.advance(1_000)
    cluster.goOn(0)
    clock.advance(1_000)
    expect(new Set(cluster.ran.map(({ server }) => server))).toEqual(new Set([0]))
    const diedMs = clock.nowMs()
    cluster.stop(0)
    clock.advance(5_000)
    const next = cluster.ran.find(({ atMs }) => atMs > diedMs)
    expect(next?.atMs).toBeLessThan(diedMs + 3_000)
    expect(next?.server).not.toBe(0)
    expect(new Set(cluster.ran.filter(({ atMs }) => atMs > diedMs).map(({ server }) => server)).size).toBe(1)
    expect([untold(one), untold(other)]).toEqual([0, 0])
    cluster.close()
  })

  it("tell of the tick that an owner took with it", () => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, "SEQUENTIAL", 1_000)
    cluster.join(0)
    const other = cluster.join(1)
    clock.advance(2_500)
    cluster.stop(0)
    clock.advance(10_000)
    // Tick 2 was under way.
    expect(other.told.slice(0, 4)).toMatchObject([{ seq: 0 }, { seq: 1 }, { missed: 1 }, { seq: 3 }])
    cluster.close()
  })

  it("do not believe an owner that was replaced while it slept", () => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, "SEQUENTIAL", 50)
    const sleeper = cluster.join(0)
    clock.advance(500)
    const other = cluster.join(1)
    clock.advance(510)
    cluster.stop(0)
    clock.advance(6_000)
    cluster.goOn(0)
    clock.advance(6_000)
    expect(new Set(cluster.ran.map(({ runId }) => runId)).size).toBe(cluster.ran.length)
    expect(other.seqs).toEqual(other.seqs.toSorted((left, right) => left - right))
    // It follows now.
    expect(sleeper.told.slice(-20)).toEqual(other.told.slice(-20))
    expect([untold(sleeper), untold(other)]).toEqual([0, 0])
    cluster.close()
  })
})

describe("a store that goes back to what it was (a replica that lagged took over)", () => {
  it.each([0, 1, 2, 3])("after %d changes of the owner, all go on, and nobody is told a number twice", (changes) => {
    const clock = makeSimClock(1_000_000)
    const cluster = open(clock, "FIXED")
    const guests = [0, 1, 2].map((server) => cluster.join(server))
    clock.advance(1_000)
    const goBack = cluster.copyOfStore()
    for (let change = 0; change < changes; change += 1) {
      const owner = cluster.ran.at(-1)?.server ?? 0
      cluster.stop(owner)
      clock.advance(6_000)
      cluster.goOn(owner)
      clock.advance(6_000)
    }
    goBack()
    clock.advance(6_000)
    const before = guests.map(({ seqs }) => seqs.length)
    clock.advance(6_000)
    guests.forEach((guest, at) => {
      expect(guest.seqs.length).toBeGreaterThan((before[at] ?? 0) + 50)
      expect(guest.seqs).toEqual([...new Set(guest.seqs)].toSorted((left, right) => left - right))
      expect(untold(guest)).toBe(0)
    })
    cluster.close()
  })
})

type Step =
  | { readonly kind: "join" | "stop" | "goOn"; readonly server: number }
  | { readonly kind: "leave"; readonly at: number }
  | { readonly kind: "wait"; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("join" as const, "join" as const, "stop" as const, "goOn" as const), server: fc.nat(servers - 1) }),
  fc.record({ kind: fc.constant("leave" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 4_000 }) })
)

describe("whatever servers and subscribers do", () => {
  it("no tick runs twice, no number comes twice or backwards, nothing is lost untold, and ticks go on where someone is", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.constantFrom<FeedMode>("FIXED", "SEQUENTIAL"), (steps, mode) => {
        const clock = makeSimClock(1_000_000)
        const cluster = open(clock, mode, 60)
        const stopped = new Set<number>()
        const present: Array<{ readonly guest: Guest; readonly server: number }> = []
        const guests: Array<Guest> = []
        for (const next of steps) {
          if (next.kind === "wait") clock.advance(next.ms)
          else if (next.kind === "leave") {
            const [left] = present.splice(next.at % Math.max(1, present.length), 1)
            // A stopped process hears of no leaving.
            if (left !== undefined && !stopped.has(left.server)) left.guest.subscription?.stop()
          } else if (next.kind === "stop") {
            cluster.stop(next.server)
            stopped.add(next.server)
          } else if (next.kind === "goOn") {
            cluster.goOn(next.server)
            stopped.delete(next.server)
          } else if (!stopped.has(next.server)) {
            const guest = cluster.join(next.server)
            guests.push(guest)
            present.push({ guest, server: next.server })
          }
        }
        const heardBefore = present.map(({ guest }) => guest.seqs.length)
        clock.advance(6_000)
        expect(new Set(cluster.ran.map(({ runId }) => runId)).size).toBe(cluster.ran.length)
        for (const guest of guests) {
          expect(guest.seqs).toEqual([...new Set(guest.seqs)].toSorted((left, right) => left - right))
          expect(untold(guest)).toBe(0)
        }
        present.forEach(({ guest, server }, at) => {
          if (!stopped.has(server)) expect(guest.seqs.length).toBeGreaterThan((heardBefore[at] ?? 0) + 20)
        })
        cluster.close()
      }),
      { numRuns: 100 }
    )
  })
})
