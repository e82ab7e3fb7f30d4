/** The laws of registered data proxies: one record for each key, returned unchanged, gone when removed. */
import { DataProxies, type DataProxy, type DataProxyInput } from "@sibyl/core"
import { maxProxyFeeCredits, proxyKeyOf } from "@sibyl/core/internal"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Effect, type Layer, Option } from "effect"
import type { HandClock } from "../clock/handClock.ts"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { storeLaws } from "./form/storeLaws.ts"
import { lawStartMs } from "./form/stores.ts"

type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, DataProxies>

/** The points 1·G, 2·G and so on, as keys of imaginary proxies. */
const point = (scalar: bigint) => secp256k1.Point.BASE.multiply(scalar)
const keyOf = (scalar: bigint): string => point(scalar).toHex(true)

const inputOf = (scalar: bigint, more: Partial<DataProxyInput> = {}): DataProxyInput => ({
  publicKey: keyOf(scalar),
  name: `proxy ${scalar}`,
  feeCredits: scalar,
  active: true,
  ...more
})

const registered = (input: DataProxyInput): Effect.Effect<DataProxy, LawBroken, DataProxies> =>
  Effect.flatMap(DataProxies, (proxies) =>
    Effect.catchTag(
      proxies.register(input),
      "InvalidSetting",
      ({ message }) => new LawBroken({ message: `a good input is registered, it was refused: ${message}` })
    )
  )

const comesBack: Body = () =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    yield* isEqual(yield* proxies.find(keyOf(1n)), Option.none(), "a proxy before it is registered")
    yield* isEqual(yield* proxies.list, [], "the list before any is registered")
    const input = inputOf(1n, { name: "½ “prices” 🜚", feeCredits: maxProxyFeeCredits })
    const expected = { ...input, registeredAtMs: lawStartMs }
    yield* isEqual(yield* registered(input), expected, "what registering answers")
    yield* isEqual(yield* proxies.find(input.publicKey), Option.some(expected), "the registered proxy")
    yield* isEqual(yield* proxies.find(keyOf(2n)), Option.none(), "another key")
    yield* registered(inputOf(3n, { feeCredits: 0n }))
    const free = Option.map(yield* proxies.find(keyOf(3n)), ({ feeCredits }) => feeCredits)
    yield* isEqual(free, Option.some(0n), "a proxy without a fee")
  })

const oneSpelling: Body = () =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    const uncompressed = point(5n).toHex(false)
    for (const publicKey of [uncompressed, `0x${uncompressed.toUpperCase()}`, keyOf(5n).toUpperCase()]) {
      const { publicKey: kept } = yield* registered(inputOf(5n, { publicKey }))
      yield* isEqual(kept, proxyKeyOf(publicKey) ?? "", "the key as it is kept")
    }
    yield* isEqual(
      (yield* proxies.list).map(({ publicKey }) => publicKey),
      [keyOf(5n)],
      "the keys of one proxy"
    )
  })

const changes: Body = (clock) =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    yield* registered(inputOf(1n))
    yield* registered(inputOf(2n))
    clock.advance(1_000)
    const changed = inputOf(1n, { name: "renamed", feeCredits: 2n ** 70n })
    yield* isEqual(yield* registered(changed), { ...changed, registeredAtMs: lawStartMs }, "the changed proxy")
    const other = Option.map(yield* proxies.find(keyOf(2n)), ({ feeCredits, name }) => ({ feeCredits, name }))
    yield* isEqual(other, Option.some({ feeCredits: 2n, name: "proxy 2" }), "the other proxy")
  })

const rests: Body = () =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    const resting = inputOf(1n, { active: false })
    yield* registered(resting)
    yield* isEqual(yield* proxies.find(resting.publicKey), Option.none(), "an inactive proxy")
    yield* isEqual(yield* proxies.list, [{ ...resting, registeredAtMs: lawStartMs }], "the list with an inactive one")
    yield* registered({ ...resting, active: true })
    yield* isEqual(Option.isSome(yield* proxies.find(resting.publicKey)), true, "the proxy, active again")
  })

const listed: Body = (clock) =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    yield* registered(inputOf(9n))
    clock.advance(1)
    for (const scalar of [8n, 7n, 6n]) yield* registered(inputOf(scalar))
    clock.advance(-2)
    yield* registered(inputOf(5n))
    clock.advance(10)
    yield* registered(inputOf(9n, { name: "changed" }))
    const expected = [keyOf(5n), keyOf(9n), ...[keyOf(8n), keyOf(7n), keyOf(6n)].sort()]
    yield* isEqual(
      (yield* proxies.list).map(({ publicKey }) => publicKey),
      expected,
      "oldest first, then by key"
    )
  })

const removes: Body = (clock) =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    yield* isEqual(yield* proxies.remove(keyOf(1n)), false, "removing what is not there")
    yield* registered(inputOf(1n))
    yield* registered(inputOf(2n, { active: false }))
    yield* isEqual(yield* proxies.remove(keyOf(1n)), true, "removing a proxy")
    yield* isEqual(yield* proxies.remove(keyOf(2n)), true, "removing an inactive proxy")
    yield* isEqual(yield* proxies.remove(keyOf(1n)), false, "removing it again")
    yield* isEqual([yield* proxies.find(keyOf(1n)), yield* proxies.list], [Option.none(), []], "what is left")
    clock.advance(7)
    const { registeredAtMs } = yield* registered(inputOf(1n))
    yield* isEqual(registeredAtMs, lawStartMs + 7, "a removed proxy is new when it is registered again")
  })

const refuses: Body = () =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    yield* registered(inputOf(1n))
    const wrong: ReadonlyArray<readonly [field: string, input: DataProxyInput]> = [
      ["publicKey", inputOf(2n, { publicKey: "02ab" })],
      ["name", inputOf(2n, { name: " " })],
      ["feeCredits", inputOf(1n, { feeCredits: -1n })],
      ["feeCredits", inputOf(1n, { feeCredits: maxProxyFeeCredits + 1n })]
    ]
    for (const [field, input] of wrong) {
      const refusal = yield* Effect.either(proxies.register(input))
      const refused = refusal._tag === "Left" ? refusal.left.field : "registered"
      yield* isEqual(refused, field, "the field that a refusal names")
    }
    const expected = [{ ...inputOf(1n), registeredAtMs: lawStartMs }]
    yield* isEqual(yield* proxies.list, expected, "what refused inputs left untouched")
  })

const oneOfMany: Body = () =>
  Effect.gen(function* () {
    const proxies = yield* DataProxies
    const fees = Array.from({ length: 50 }, (_, at) => BigInt(at))
    yield* Effect.all(
      fees.map((feeCredits) => registered(inputOf(1n, { feeCredits }))),
      { concurrency: "unbounded" }
    )
    const kept = yield* proxies.list
    yield* isEqual(
      kept.map(({ publicKey }) => publicKey),
      [keyOf(1n)],
      "one key registered 50 times at once"
    )
    yield* isEqual(fees.includes(kept[0]?.feeCredits ?? -1n), true, "one of the fees")
  })

const bodies: Readonly<Record<string, Body>> = {
  "a registered proxy is found by its key, with its exact fee": comesBack,
  "a key has one record, in whichever form it is given": oneSpelling,
  "registering a key again changes its proxy, and keeps its date": changes,
  "an inactive proxy is not found, but listed, and can be activated again": rests,
  "all proxies are listed, oldest first, then by key": listed,
  "a removed proxy is gone, and new when it is registered again": removes,
  "an input that breaks a rule is refused and changes nothing": refuses,
  "of many concurrent registrations of one key, one is kept completely": oneOfMany
}

/** The laws of the data proxies, over stores from `makeStores`. */
export const dataProxyLaws = (makeStores: () => Layer.Layer<DataProxies>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
