/** What an operator does to a running Sibyl, each call checked before it is carried out. */
import { DataProxies, InvalidOption, type IssuedKey, Keys, ProgramStore, Provisioning } from "@sibyl/core"
import { checkNames } from "@sibyl/core/internal"
import { Effect, Redacted } from "effect"
import { giveName } from "./giveName.ts"
import { checkId, ensuredNames, keyNames, projectNames, proxyNames, rotationNames } from "./knownNames.ts"
import { whyNoPhase } from "./phaseRefusals.ts"
import type { DeploymentPorts } from "./ports.ts"
import { ensureProject } from "./project/ensureProject.ts"
import { ProgramInvalid, type ShownKey, type Sibyl } from "./sibyl.ts"

/** The calls of an operator. */
export type OperatorCalls = Omit<Sibyl, "service" | "metricsText" | "readMetrics" | "close">

/** Carries an effect out over the ports; rejects with the failure itself. */
export type RunOverPorts = <A, E>(effect: Effect.Effect<A, E, DeploymentPorts>) => Promise<A>

const shown = ({ apiKeyId, key }: IssuedKey): ShownKey => ({ apiKeyId, key: Redacted.value(key) })

/** The calls over the ports. */
export const operatorCalls = (run: RunOverPorts): OperatorCalls => {
  const provision = <A, E>(use: (provisioning: Provisioning["Type"]) => Effect.Effect<A, E>): Promise<A> =>
    run(Effect.flatMap(Provisioning, use))
  const withKeys = <A, E>(use: (keys: Keys["Type"]) => Effect.Effect<A, E>): Promise<A> => run(Effect.flatMap(Keys, use))
  return {
    deploy: async (program) => {
      if (!((program as unknown) instanceof Uint8Array))
        throw new InvalidOption("program", "must be the bytes of a module, as a Uint8Array")
      const why = await run(whyNoPhase(program))
      if (why !== undefined) throw new ProgramInvalid(why)
      return run(Effect.flatMap(ProgramStore, (store) => store.put(program)))
    },
    nameProgram: async (name, programId, projectId) => {
      checkId("programId", programId)
      const owner = projectId ?? null
      if (owner !== null) checkId("projectId", owner)
      return run(giveName(name, programId, owner))
    },
    ensureProject: async (input) => {
      checkNames(input, ensuredNames)
      if (typeof (input.keyFile as unknown) !== "string" || input.keyFile === "")
        throw new InvalidOption("keyFile", "must be the path of a file")
      return run(ensureProject(input))
    },
    createProject: async (project) => {
      checkNames(project, projectNames)
      return provision((provisioning) => provisioning.createProject(project))
    },
    issueKey: async (projectId, key = {}) => {
      checkId("projectId", projectId)
      checkNames(key, keyNames)
      return shown(await withKeys((keys) => keys.issue(projectId, key)))
    },
    rotateKey: async (apiKeyId, rotation) => {
      checkId("apiKeyId", apiKeyId)
      checkNames(rotation, rotationNames)
      return shown(await withKeys((keys) => keys.rotate(apiKeyId, rotation)))
    },
    revokeKey: async (apiKeyId) => {
      checkId("apiKeyId", apiKeyId)
      return withKeys((keys) => Effect.asVoid(keys.revoke(apiKeyId)))
    },
    grant: async (projectId, credits) => {
      checkId("projectId", projectId)
      return provision((provisioning) => provisioning.grant(projectId, credits))
    },
    withdraw: async (projectId, credits) => {
      checkId("projectId", projectId)
      return provision((provisioning) => provisioning.withdraw(projectId, credits))
    },
    registerProxy: async (proxy) => {
      checkNames(proxy, proxyNames)
      return run(Effect.flatMap(DataProxies, (proxies) => proxies.register(proxy)))
    }
  }
}
