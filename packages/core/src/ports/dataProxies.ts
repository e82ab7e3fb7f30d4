/** The port to the registered data proxies. */
import { Context, Effect, Layer, Option } from "effect"

/** A registered data proxy. */
export interface DataProxy {
  readonly name: string
  /** Compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  readonly feeCredits: bigint
}

/** Finds data proxies by key. */
export class DataProxies extends Context.Tag("@sibyl/core/DataProxies")<
  DataProxies,
  { readonly find: (publicKey: string) => Effect.Effect<Option.Option<DataProxy>> }
>() {
  /** A fixed list in this process's memory. */
  static readonly memory = (proxies: ReadonlyArray<DataProxy>): Layer.Layer<DataProxies> =>
    Layer.sync(DataProxies, () => {
      const byKey = new Map(proxies.map((proxy) => [proxy.publicKey, proxy]))
      return { find: (publicKey) => Effect.sync(() => Option.fromNullable(byKey.get(publicKey))) }
    })
}
