/** A whole service over stores in memory, for tests and trials: everything is real except the database. */
import {
  DataProxies,
  type DataProxyInput,
  Entropy,
  Keys,
  layerMemoryStores,
  Network,
  openService,
  ProgramNames,
  ProgramStore,
  type ProgramRuntime,
  Provisioning,
  type Service,
  type ServiceOptions,
  Signer
} from "@sibyl/core"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { Provisioner } from "./audits/provision/means.ts"

/** A running service and the means to provision it. */
export interface MemoryService extends Provisioner {
  readonly service: Service
  readonly issueKey: (projectId: string, options?: { readonly expiresAtMs?: number }) => Promise<string>
  /** Registers a data proxy, or changes it. */
  readonly registerProxy: (proxy: DataProxyInput) => Promise<void>
  /** Drains the service, then releases the VM and the stores. */
  readonly close: () => Promise<void>
}

/** Publicly known, so that signatures can be compared: thirty-two bytes of 0x01. */
const testSecret = Redacted.make(new Uint8Array(32).fill(1))

const testNetwork = { name: "test", chainId: "sibyl-1-test" } as const

/** Opens a service over a VM of the caller's choice, which may share the service's network, data proxies and signer. */
export const openMemoryService = async (
  machine: Layer.Layer<ProgramRuntime, never, DataProxies | Network | Signer>,
  options: Partial<ServiceOptions> = {}
): Promise<MemoryService> => {
  const { network = testNetwork } = options
  const stores = Layer.provide(layerMemoryStores, Entropy.layer)
  const ports = ManagedRuntime.make(
    machine.pipe(
      Layer.provideMerge(Layer.merge(DataProxies.layerMemory(), Signer.layerFromSecret(testSecret))),
      Layer.merge(Layer.merge(stores, ProgramStore.layerMemory)),
      Layer.provide(Network.layer(network))
    )
  )
  const { context } = await ports.runtime()
  const service = await openService({ ...options, network }, Layer.succeedContext(context))
  const provision = <A, E>(use: (provisioning: Provisioning["Type"]) => Effect.Effect<A, E>): Promise<A> =>
    ports.runPromise(Effect.flatMap(Provisioning, use))
  const withKeys = <A, E>(use: (keys: Keys["Type"]) => Effect.Effect<A, E>): Promise<A> => ports.runPromise(Effect.flatMap(Keys, use))
  return {
    service,
    deploy: (program) => ports.runPromise(Effect.flatMap(ProgramStore, (store) => store.put(program))),
    nameProgram: (name, programId) =>
      ports.runPromise(Effect.asVoid(Effect.flatMap(ProgramNames, (names) => names.give({ name, owner: null, programId })))),
    registerProxy: (proxy) => ports.runPromise(Effect.asVoid(Effect.flatMap(DataProxies, (proxies) => proxies.register(proxy)))),
    createProject: (project) => provision((provisioning) => provisioning.createProject(project)),
    issueKey: async (projectId, options) => Redacted.value((await withKeys((keys) => keys.issue(projectId, options))).key),
    revokeKey: (apiKeyId) => withKeys((keys) => Effect.asVoid(keys.revoke(apiKeyId))),
    grant: (projectId, credits) => provision((provisioning) => provisioning.grant(projectId, credits)),
    close: async () => {
      await service.dispose()
      await ports.dispose()
    }
  }
}
