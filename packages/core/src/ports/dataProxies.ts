/** The port to the registered data proxies. */
import { Clock, Context, Effect, Layer, Option, Ref } from "effect"
import type { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import { checkedProxy, type DataProxy, type DataProxyInput } from "../domain/dataProxies/proxyRecord.ts"

/** Stores the data proxies of one network. Keys are passed in the form that `proxyKeyOf` returns. */
export class DataProxies extends Context.Tag("@sibyl/core/DataProxies")<
  DataProxies,
  {
    /** The active proxy with this key. */
    readonly find: (publicKey: string) => Effect.Effect<Option.Option<DataProxy>>
    /** Registers a proxy, or replaces the one with its key. Runs that have read its fee already keep the old one. */
    readonly register: (input: DataProxyInput) => Effect.Effect<DataProxy, InvalidSetting>
    /** Removes a proxy; false if there was none. Fees owed to it are in the reports. */
    readonly remove: (publicKey: string) => Effect.Effect<boolean>
    /** Every proxy, inactive ones included, oldest first, then by key. */
    readonly list: Effect.Effect<ReadonlyArray<DataProxy>>
  }
>() {
  /** Proxies in this process's memory, initially those given; an invalid one is a defect. */
  static readonly layerMemory = (proxies: ReadonlyArray<DataProxyInput> = []): Layer.Layer<DataProxies> =>
    Layer.effect(
      DataProxies,
      Effect.gen(function* () {
        const state = yield* Ref.make<ReadonlyMap<string, DataProxy>>(new Map())
        const store = inState(state)
        yield* Effect.orDie(Effect.forEach(proxies, store.register))
        return store
      })
    )
}

const inState = (state: Ref.Ref<ReadonlyMap<string, DataProxy>>): Context.Tag.Service<DataProxies> => ({
  find: (publicKey) => Effect.map(Ref.get(state), (all) => Option.filter(Option.fromNullable(all.get(publicKey)), ({ active }) => active)),
  register: (input) =>
    Effect.gen(function* () {
      const checked = yield* checkedProxy(input)
      const nowMs = yield* Clock.currentTimeMillis
      return yield* Ref.modify(state, (all) => {
        const { publicKey } = checked
        const proxy = { ...checked, registeredAtMs: all.get(publicKey)?.registeredAtMs ?? nowMs }
        return [proxy, new Map(all).set(publicKey, proxy)]
      })
    }),
  remove: (publicKey) => Ref.modify(state, (all) => [all.has(publicKey), new Map([...all].filter(([key]) => key !== publicKey))]),
  list: Effect.map(Ref.get(state), (all) => [...all.values()].sort(byAge))
})

const byAge = (left: DataProxy, right: DataProxy): number =>
  left.registeredAtMs - right.registeredAtMs || (left.publicKey < right.publicKey ? -1 : 1)
