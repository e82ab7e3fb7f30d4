/** Whether a module's imports, memory and exports match what the phase offers, decided by us and not by the engine. */
import type { Phase } from "@sibyl/core"
import { externalKind, type FunctionType, type ImportShape, type ModuleShape } from "../binary/moduleShape.ts"
import { shownName } from "../binary/shownName.ts"
import type { HostFunction } from "../host/state/hostFunction.ts"
import { hostFunctions } from "../host/hostFunctions.ts"
import { meteredNames } from "../meter/build.ts"

/** The findings. Modules that cannot be linked are compiled too: each phase reports the faults in its own order. */
export interface LinkFacts {
  /** Whether the module imports any function of a WASI namespace. */
  readonly wasi: boolean
  /** Why an import cannot be provided. */
  readonly importFault: string | undefined
  /** Why the memory cannot be created. */
  readonly memoryFault: string | undefined
  readonly startSection: boolean
  /** Whether a memory is exported with the required name. */
  readonly memory: boolean
  /** The parameter types of the exported entry function, undefined if there is none. */
  readonly entry: FunctionType["parameters"] | undefined
  /** Each import with its host function. */
  readonly imports: ReadonlyArray<{ readonly module: string; readonly name: string; readonly host: string }>
}

const wasiNamespaces: Readonly<Record<Phase, ReadonlyArray<string>>> = {
  exec: ["wasi_snapshot_preview1"],
  tally: ["wasi_unstable", "wasi_snapshot_preview1", "wasix_32v1", "wasix_64v1"]
}

const sameTypes = (left: FunctionType, right: FunctionType): boolean =>
  left.parameters.length === right.parameters.length &&
  left.results.length === right.results.length &&
  left.parameters.every((type, at) => type === right.parameters[at]) &&
  left.results.every((type, at) => type === right.results[at])

const named = (entry: ImportShape): string => `Error while importing ${shownName(entry.module)}.${shownName(entry.name)}`

/** The namespace used for WASI in this module: that of its first WASI function. */
const wasiOf = (module: ModuleShape, phase: Phase): string | undefined =>
  module.imports.find(({ kind, module: from }) => kind === externalKind.function && wasiNamespaces[phase].includes(from))?.module

const providerOf = (entry: ImportShape, wasi: string | undefined, phase: Phase): HostFunction | undefined => {
  const family = entry.module === "seda_v1" ? "seda_v1" : entry.module === wasi ? "wasi" : undefined
  return hostFunctions.find((host) => host.family === family && host.name === entry.name && host.phases.includes(phase))
}

/** Wrong types are refused in both phases, although the execution reference lets the engine convert the values. */
const faultOf = (entry: ImportShape, module: ModuleShape, host: HostFunction | undefined): string | undefined => {
  if (entry.kind !== externalKind.function || host === undefined) {
    return `${named(entry)}: unknown import. Expected a host function of this phase`
  }
  const type = module.types[entry.typeIndex ?? -1]
  return type !== undefined && sameTypes(type, host) ? undefined : `${named(entry)}: incompatible import type`
}

const memoryFaultOf = (module: ModuleShape, phase: Phase, memoryPages: number): string | undefined => {
  const { memory } = module
  const fault = "Insufficient resources: Failed to create memory: A user-defined error occurred:"
  if (memory === undefined) return undefined
  if (memory.minimum > memoryPages) return `${fault} Minimum exceeds the allowed memory limit`
  // Execution overwrites the maximum instead.
  return phase === "tally" && (memory.maximum ?? 0) > memoryPages ? `${fault} Maximum exceeds the allowed memory limit` : undefined
}

/** Checks everything that linking needs. */
export const linkFacts = (module: ModuleShape, phase: Phase, memoryPages: number): LinkFacts => {
  const wasi = wasiOf(module, phase)
  const links = module.imports.map((entry) => ({ entry, host: providerOf(entry, wasi, phase) }))
  const entry = module.exports.find(({ kind, name }) => kind === externalKind.function && name === meteredNames.entry)
  return {
    wasi: wasi !== undefined,
    importFault: links.map(({ entry, host }) => faultOf(entry, module, host)).find((fault) => fault !== undefined),
    memoryFault: memoryFaultOf(module, phase, memoryPages),
    startSection: module.start !== undefined,
    memory: module.exports.some(({ kind, name }) => kind === externalKind.memory && name === meteredNames.memory),
    entry: entry === undefined ? undefined : module.types[module.functions[entry.index] ?? -1]?.parameters,
    imports: links.map(({ entry, host }) => ({ module: entry.module, name: entry.name, host: host?.name ?? "" }))
  }
}
