/** What an operator can do for the audits, whatever its service calls a project or a key. */
import type { DataProxyInput, NewProject } from "@sibyl/core"
import { readApiKey } from "@sibyl/core/internal"

/** What a new project of an audit is like. */
export interface AuditedProject {
  /** What it is granted. */
  readonly credits: bigint
  /** The only programs that it may run; by default every one. */
  readonly allowedPrograms?: ReadonlyArray<string>
  /** The credits that it may spend in a period; 0 covers no run. */
  readonly usageLimit?: { readonly periodMs: number; readonly credits: bigint }
  /** When the key ends. */
  readonly expiresAtMs?: number
}

/** Each member is optional; audits that need an absent one are skipped. */
export interface Means {
  /** Deploys a module for every project and returns its id. */
  readonly deploy?: (program: Uint8Array) => Promise<string>
  /** Gives a program a name for every project. */
  readonly nameProgram?: (name: string, programId: string) => Promise<unknown>
  /** Makes a project and returns a key of it. */
  readonly makeKey?: (project: AuditedProject) => Promise<string>
  readonly revokeKey?: (apiKey: string) => Promise<unknown>
  readonly registerProxy?: (proxy: DataProxyInput) => Promise<unknown>
}

/** What operates a Sibyl, by its projects and the ids of its keys. */
export interface Provisioner {
  /** Returns the program's id. */
  readonly deploy: (program: Uint8Array) => Promise<string>
  /** Gives a program a name for every project. */
  readonly nameProgram: (name: string, programId: string) => Promise<unknown>
  readonly createProject: (project: NewProject) => Promise<{ readonly projectId: string }>
  readonly issueKey: (projectId: string, options?: { readonly expiresAtMs?: number }) => Promise<string>
  readonly revokeKey: (apiKeyId: string) => Promise<void>
  readonly grant: (projectId: string, credits: bigint) => Promise<unknown>
  readonly registerProxy: (proxy: DataProxyInput) => Promise<unknown>
}

/** All means of a Sibyl. */
export const meansOf = (provisioner: Provisioner): Required<Means> => ({
  deploy: (program) => provisioner.deploy(program),
  nameProgram: (name, programId) => provisioner.nameProgram(name, programId),
  registerProxy: (proxy) => provisioner.registerProxy(proxy),
  revokeKey: (apiKey) => provisioner.revokeKey(readApiKey(apiKey)?.apiKeyId ?? ""),
  makeKey: async ({ credits, expiresAtMs, ...project }) => {
    const { projectId } = await provisioner.createProject({ organizationSlug: "audits", ...project })
    if (credits > 0n) await provisioner.grant(projectId, credits)
    return provisioner.issueKey(projectId, expiresAtMs === undefined ? {} : { expiresAtMs })
  }
})
