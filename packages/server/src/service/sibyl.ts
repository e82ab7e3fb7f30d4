/** A running Sibyl, as its embedder has it. */
import type { Balance, DataProxy, DataProxyInput, NamedProgram, NewKey, NewProject, Project, Rotation, Series, Service } from "@sibyl/core"
import type { EnsuredProject, EnsureProjectOptions } from "./project/ensureProject.ts"

/** A new key: shown here once, stored as a hash. */
export interface ShownKey {
  /** Names the key to `rotateKey` and `revokeKey`; no secret. */
  readonly apiKeyId: string
  /** What a client sends as `Authorization: Bearer`. */
  readonly key: string
}

/** A running Sibyl. After `close`, what it offers beside `service` rejects with {@link SibylClosed}. */
export interface Sibyl {
  /** Hand this to an adapter. */
  readonly service: Service
  /** Deploys a program and answers its id. Rejects with {@link ProgramInvalid} if no phase can run it. */
  readonly deploy: (program: Uint8Array) => Promise<string>
  /**
   * Gives a deployed program a name from the next request on: for every project, or for one project, whose own names take
   * precedence. Rejects with `InvalidSetting` if the name is invalid, with `ProgramNotDeployed` and with `ProjectNotFound`.
   */
  readonly nameProgram: (name: string, programId: string, projectId?: string) => Promise<NamedProgram>
  /**
   * Creates a project at every call; to find one again after a restart use {@link Sibyl.ensureProject}. Rejects with
   * `InvalidOption` for a name that is none, and with `InvalidSetting` if a setting is invalid, such as a usage limit below what any run holds (351 with the default gas limits).
   */
  readonly createProject: (project: NewProject) => Promise<Project>
  /**
   * The project whose key lies in `keyFile`; without that file the organization's project of this name, made where it is
   * missing, with a new key that is written there. Rejects with a `KeyFileInvalid` when the file holds no valid key, and with an
   * `InvalidOption` or `InvalidSetting` as `createProject` does.
   */
  readonly ensureProject: (input: EnsureProjectOptions) => Promise<EnsuredProject>
  /** Makes a key. It does not expire unless `expiresAtMs` is given. Rejects with `ProjectNotFound`, and with `InvalidSetting` as `createProject` does. */
  readonly issueKey: (projectId: string, key?: NewKey) => Promise<ShownKey>
  /**
   * Makes a key in the place of one, which stays valid for `overlapMs`. Rejects with a `KeyNotFound`, with a `KeyEnded` when the
   * old one is not valid any more, and with an `InvalidSetting` when the rotation breaks a rule.
   */
  readonly rotateKey: (apiKeyId: string, rotation: Rotation) => Promise<ShownKey>
  /** Revokes a key: requests with it get 401, and its WebSockets close. Rejects with `KeyNotFound`. */
  readonly revokeKey: (apiKeyId: string) => Promise<void>
  /** Adds credits. Rejects with `ProjectNotFound`, and with `InvalidSetting` for what is no bigint or negative. */
  readonly grant: (projectId: string, credits: bigint) => Promise<Balance>
  /** Takes back credits that are neither used nor held. Rejects like `grant`, and with `InsufficientCredits` where fewer remain. */
  readonly withdraw: (projectId: string, credits: bigint) => Promise<Balance>
  /** Registers a data proxy or changes it. Rejects with an `InvalidSetting` when the input breaks a rule. */
  readonly registerProxy: (proxy: DataProxyInput) => Promise<DataProxy>
  /** What was measured, in the text format of Prometheus; empty without `metrics`. */
  readonly metricsText: () => string
  /** The same, series by series, of each process: this one. */
  readonly readMetrics: () => Promise<ReadonlyArray<ReadonlyArray<Series>>>
  /** Finishes running work, then releases everything. */
  readonly close: () => Promise<void>
}

/** Why a module cannot be deployed. */
export class ProgramInvalid extends Error {
  readonly _tag = "ProgramInvalid"

  constructor(reason: string) {
    super(`this module cannot run as an Oracle Program: ${reason}`)
    this.name = "ProgramInvalid"
  }
}

/** This Sibyl was closed before. */
export class SibylClosed extends Error {
  readonly _tag = "SibylClosed"

  constructor() {
    super("this Sibyl is closed")
    this.name = "SibylClosed"
  }
}
