/** An edge whose runs go to executors, and the same runtime in this process to compare with. */
import {
  DataProxies,
  type DataProxyInput,
  Entropy,
  entropyOf,
  HttpFetch,
  type OutboundRequest,
  type OutboundResponse,
  ProgramRuntime,
  Signer,
  Network
} from "@sibyl/core"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { NatsConnection } from "../connection/natsConnection.ts"
import { layerRemoteRuntime, type RemoteRuntimeOptions } from "../edge/layerRemoteRuntime.ts"

/** The network of these tests. */
export const chainId = "sibyl-1-test"

/** Publicly known. */
const secret = Redacted.make(new Uint8Array(32).fill(1))

const sharedWith = (proxies: ReadonlyArray<DataProxyInput>) =>
  Layer.mergeAll(Signer.layerFromSecret(secret), DataProxies.layerMemory(proxies), Network.layer({ name: "test", chainId }))

/** Every run has the same seed, so that runs can be compared. */
const evenEntropy: Context.Tag.Service<Entropy> = entropyOf((count) =>
  count === 32 ? new Uint8Array(count).fill(7) : crypto.getRandomValues(new Uint8Array(count))
)

/** A runtime of programs. */
export type Machine = Context.Tag.Service<ProgramRuntime>

/** A runtime over executors. */
export const openEdge = (
  url: string,
  options: RemoteRuntimeOptions = {},
  proxies: ReadonlyArray<DataProxyInput> = []
): Effect.Effect<Machine, never, Scope.Scope> =>
  layerRemoteRuntime(options).pipe(
    Layer.provide([NatsConnection.layer({ servers: [url] }), Layer.succeed(Entropy, evenEntropy), sharedWith(proxies)]),
    Layer.build,
    Effect.map((context) => Context.get(context, ProgramRuntime)),
    Effect.orDie
  )

/** The same in this process. */
export const openLocal = (
  fetch: (request: OutboundRequest) => Effect.Effect<OutboundResponse>,
  proxies: ReadonlyArray<DataProxyInput> = []
): Effect.Effect<Machine, never, Scope.Scope> =>
  layerProxiedProgramRuntime({ workers: 1, entropy: Effect.sync(() => new Uint8Array(32).fill(7)) }).pipe(
    Layer.provide([Layer.succeed(HttpFetch, { fetch }), sharedWith(proxies)]),
    Layer.build,
    Effect.map((context) => Context.get(context, ProgramRuntime))
  )
