/** The laws of the relay between servers that share feeds: news arrives whole, in order, once, and only where it is asked for (D48). */
import { EncodedText, type FeedRelay, InvalidOption, type RelayedNews } from "@sibyl/core"
import { type Context, Effect, Schedule, Scope, Exit } from "effect"
import { isEqual, type Law, LawBroken } from "./form/law.ts"

type Relay = Context.Tag.Service<FeedRelay>
type Body = (one: Relay, other: Relay) => Effect.Effect<void, LawBroken, Scope.Scope>

const result = (ordinal: number, text: string): RelayedNews => ({
  kind: "result",
  from: "owner",
  epoch: 1_700_000_000_000,
  term: 3,
  ordinal,
  seq: ordinal + 40,
  message: new EncodedText(text)
})

const logged: RelayedNews = { kind: "logged", from: "owner" }
const released: RelayedNews = { kind: "released", from: "owner", epoch: 1_700_000_000_000, term: 3 }

/** The text and the bytes of news, by value. */
const shown = (news: RelayedNews): unknown =>
  news.kind === "result" ? { ...news, message: { text: news.message.text, bytes: news.message.bytes.length } } : news

const listening = (relay: Relay, feedKey: string) =>
  Effect.gen(function* () {
    const heard: Array<unknown> = []
    yield* relay.subscribe(feedKey, (news) => heard.push(shown(news)))
    return heard
  })

/** Waits until as much has been heard: what one server sends arrives in order, so the last one is behind all others. */
const until = (heard: ReadonlyArray<unknown>, length: number): Effect.Effect<void, LawBroken> =>
  Effect.suspend(() =>
    heard.length >= length ? Effect.void : Effect.fail(new LawBroken({ message: `heard ${heard.length}, expected ${length}` }))
  ).pipe(Effect.retry(Schedule.intersect(Schedule.spaced(5), Schedule.recurs(2_000))))

const arrives: Body = (one, other) =>
  Effect.gen(function* () {
    const all = [yield* listening(one, "a"), yield* listening(other, "a"), yield* listening(other, "a")]
    const sent = [...Array.from({ length: 50 }, (_, ordinal) => result(ordinal, `{"n":${ordinal},"text":"é€😀"}`)), logged, released]
    for (const news of sent) one.publish("a", news)
    for (const heard of all) {
      yield* until(heard, sent.length)
      yield* isEqual(heard, sent.map(shown), "what is heard, on both servers and by each subscription")
    }
  })

const onlyThere: Body = (one, other) =>
  Effect.gen(function* () {
    const [heardA, heardB] = [yield* listening(other, "a"), yield* listening(other, "b")]
    const scope = yield* Scope.make()
    const left = yield* Scope.extend(listening(other, "a"), scope)
    one.publish("a", result(0, "first"))
    yield* until(left, 1)
    yield* Scope.close(scope, Exit.void)
    one.publish("a", result(1, "second"))
    one.publish("b", released)
    yield* until(heardA, 2)
    yield* until(heardB, 1)
    yield* isEqual(heardB, [shown(released)], "news of another feed")
    yield* isEqual(left.length, 1, "news after a subscription has ended")
  })

const large: Body = (one, other) =>
  Effect.gen(function* () {
    const heard = yield* listening(other, "a")
    const sent = [result(0, "x".repeat(5_000_000)), result(1, "small")]
    for (const news of sent) one.publish("a", news)
    yield* until(heard, 2)
    yield* isEqual(heard, sent.map(shown), "a result of five million bytes, and the one behind it")
  })

const empty: Body = (one) =>
  Effect.gen(function* () {
    one.publish("unheard", released)
    const heard = yield* listening(one, "unheard")
    one.publish("unheard", result(0, ""))
    yield* until(heard, 1)
    yield* isEqual(heard, [shown(result(0, ""))], "what was sent before is not kept")
  })

/** The laws over the relays of two servers that are connected; `makeRelays` connects new ones. */
export const feedRelayLaws = (makeRelays: Effect.Effect<readonly [Relay, Relay], never, Scope.Scope>): ReadonlyArray<Law> => {
  if (!Effect.isEffect(makeRelays)) throw new InvalidOption("makeRelays", "must be an effect that connects two new relays")
  const law = (name: string, body: Body): Law => ({
    name,
    run: Effect.scoped(Effect.flatMap(makeRelays, ([one, other]) => body(one, other)))
  })
  return [
    law("news arrives at every subscription of its feed, on the server that sends it too, once and in order", arrives),
    law("news arrives where its feed is subscribed to, as long as it is", onlyThere),
    law("a large result arrives whole", large),
    law("nothing is kept for those who come later", empty)
  ]
}
