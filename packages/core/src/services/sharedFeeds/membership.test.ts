/** What an owner of a shared feed may still do when it has lost the feed. */
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import type { FeedLease } from "../../domain/feeds/feedLease.ts"
import type { RelayedNews } from "../../domain/feeds/relayedNews.ts"
import { memoryRelay } from "../../ports/feeds/feedRelay.ts"
import { type Cluster, takePart, type Tenure } from "./membership.ts"

const settle = Effect.repeatN(Effect.yieldNow(), 50)

it("sends nothing in a tenure that is over, also while it owns the feed in a later one", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const relay = memoryRelay("test")
        const heard: Array<RelayedNews> = []
        yield* relay.subscribe("feed", (news) => heard.push(news))
        let terms = 0
        let lose = (): void => {}
        const leases = {
          acquire: ({ feedKey, owner }: Pick<FeedLease, "feedKey" | "owner">) =>
            Effect.sync(() => {
              terms += 1
              const schedule = { epoch: 1, nextTick: 0, seq: 0 }
              return { kind: "held" as const, lease: { feedKey, owner, term: terms }, schedule, nowMs: 0, leaseUntilMs: 2_500 }
            }),
          release: () => Effect.void
        }
        const cluster: Cluster = {
          newName: () => "self",
          scope: "test",
          leases: leases as unknown as Cluster["leases"],
          relay,
          keeper: { keep: (_, lost) => (lose = lost), letGo: () => {} }
        }
        const tenures: Array<Tenure> = []
        const part = { own: (tenure: Tenure) => void tenures.push(tenure), disown: () => {}, follow: () => {} }
        yield* Effect.forkScoped(takePart(cluster, "feed", part))
        yield* settle
        const publish = (at: number, seq: number) =>
          Option.map(Option.fromNullable(tenures[at]), (one) => one.publish(seq, new EncodedText("{}")))
        expect(publish(0, 0)).toEqual(Option.some(true))
        lose()
        expect(publish(0, 1)).toEqual(Option.some(false))
        yield* settle
        expect([publish(0, 2), publish(1, 1)]).toEqual([Option.some(false), Option.some(true)])
        expect(heard.map((news) => (news.kind === "result" ? [news.term, news.seq] : news.kind))).toEqual([
          [1, 0],
          [2, 1]
        ])
      })
    )
  ))

it("hears nothing of the same feed in a copy of its database, and has a lease of its own", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const relay = memoryRelay("test")
        const told: Array<string> = []
        const leaseKeys: Array<string> = []
        const joined = (self: string, realm: string) => {
          const leases = {
            realm,
            acquire: ({ feedKey, owner }: Pick<FeedLease, "feedKey" | "owner">) =>
              Effect.sync(() => {
                leaseKeys.push(feedKey)
                // The first server of each database owns the feed there; both databases have counted as many terms.
                const term = 1
                const schedule = { epoch: 1, nextTick: 0, seq: 0 }
                return self.startsWith("owner")
                  ? { kind: "held" as const, lease: { feedKey, owner, term }, schedule, nowMs: 0, leaseUntilMs: 2_500 }
                  : { kind: "taken" as const, nowMs: 0, leaseUntilMs: 2_500, holder: { owner: `owner ${realm}`, epoch: 1, term } }
              }),
            release: () => Effect.void
          }
          const cluster: Cluster = {
            newName: () => self,
            scope: "test",
            leases: leases as unknown as Cluster["leases"],
            relay,
            keeper: { keep: () => {}, letGo: () => {} }
          }
          const own = (tenure: Tenure) => void owners.push(() => tenure.publish(0, new EncodedText(`{"of":"${realm}"}`)))
          const part = { own, disown: () => {}, follow: ({ text }: EncodedText) => void told.push(`${self} ${text}`) }
          return Effect.forkScoped(takePart(cluster, "feed", part))
        }
        const owners: Array<() => boolean> = []
        yield* joined("owner a", "a")
        yield* joined("follower a", "a")
        yield* joined("owner b", "b")
        yield* joined("follower b", "b")
        yield* settle
        expect(owners.map((publish) => publish())).toEqual([true, true])
        expect(told.toSorted()).toEqual([`follower a {"of":"a"}`, `follower b {"of":"b"}`])
        expect(new Set(leaseKeys).size).toBe(2)
      })
    )
  ))

it("lets a lease go that it is given in a term of which others have heard", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const terms = [1, 1, 2]
        const released: Array<number> = []
        let lose = (): void => {}
        const leases = {
          acquire: ({ feedKey, owner }: Pick<FeedLease, "feedKey" | "owner">) =>
            Effect.sync(() => {
              const schedule = { epoch: 1, nextTick: 0, seq: 0 }
              return { kind: "held" as const, lease: { feedKey, owner, term: terms.shift() ?? 3 }, schedule, nowMs: 0, leaseUntilMs: 2_500 }
            }),
          release: ({ term }: FeedLease) => Effect.sync(() => void released.push(term))
        }
        const cluster: Cluster = {
          newName: () => "self",
          scope: "test",
          leases: leases as unknown as Cluster["leases"],
          relay: memoryRelay("test"),
          keeper: { keep: (_, lost) => (lose = lost), letGo: () => {} }
        }
        const tenures: Array<Tenure> = []
        const part = { own: (tenure: Tenure) => void tenures.push(tenure), disown: () => {}, follow: () => {} }
        yield* Effect.forkScoped(takePart(cluster, "feed", part))
        yield* settle
        tenures[0]?.publish(0, new EncodedText("{}"))
        // The database goes back to before this term, and gives it again.
        lose()
        yield* settle
        expect(tenures).toHaveLength(2)
        expect(released).toEqual([1])
      })
    )
  ))
