/** The names of what embedders give, so that a misspelled one is not ignored. The compiler keeps the lists whole. */
import { type DataProxyInput, InvalidOption, type NewKey, type NewProject, type Rotation } from "@sibyl/core"
import { serviceNames } from "@sibyl/core/internal"
import type { ClusterOptions } from "./clusterRuntime.ts"
import type { SibylOptions } from "./sibylOptions.ts"
import type { EnsureProjectOptions } from "./project/ensureProject.ts"

type Names<Options> = Readonly<Record<keyof Options, true>>

/** Of `openSibyl`. */
export const sibylNames: Names<SibylOptions> = {
  ...serviceNames,
  database: true,
  databaseConnections: true,
  outbound: true,
  workers: true,
  isolation: true,
  workerMemoryMib: true,
  cluster: true,
  tariff: true,
  signInThreads: true,
  logLevel: true,
  feedRelay: true,
  metrics: true,
  observing: true,
  logRequests: true
}

/** Of the executors of a cluster. */
export const clusterNames: Names<ClusterOptions> = { nats: true, net: true, zone: true }

/** Of a new project. */
export const projectNames: Names<NewProject> = {
  organizationSlug: true,
  name: true,
  gasLimits: true,
  usageLimit: true,
  allowedPrograms: true,
  allowedHosts: true,
  limits: true
}

/** Of a project that is found again. */
export const ensuredNames: Names<EnsureProjectOptions> = { ...projectNames, keyFile: true, credits: true }

/** Of a new key. */
export const keyNames: Names<NewKey> = { name: true, expiresAtMs: true }

/** Of the rotation of a key. */
export const rotationNames: Names<Rotation> = { ...keyNames, overlapMs: true }

/** Of a data proxy. */
export const proxyNames: Names<DataProxyInput> = { publicKey: true, name: true, feeCredits: true, active: true }

/** Throws `InvalidOption` for an id that is no text, which no store could look up. */
export const checkId = (name: "apiKeyId" | "programId" | "projectId", given: unknown): void => {
  if (typeof given !== "string") throw new InvalidOption(name, "must be a text")
}
