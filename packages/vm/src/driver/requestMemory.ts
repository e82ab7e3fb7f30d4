/** Remembers the requests of past runs by project, program and inputs: never answers, only in memory, bounded. */
import type { PhaseRequest } from "@sibyl/core"
import { createHash } from "node:crypto"
import { noRequests, type PastRequests } from "./pastRequests.ts"

/** The bound of the whole memory, in bytes as {@link bytesOf} counts them. */
const maxBytes = 33_554_432

/** Overhead of an entry, and of each of its requests, estimated generously. */
const [entryBytes, requestBytes] = [512, 128]

/** The bytes that an entry counts as. */
export const bytesOf = ({ requests }: PastRequests): number =>
  requests.reduce((sum, { text }) => sum + requestBytes + text.length, entryBytes)

/** The program and its inputs, hashed: inputs are up to 256 KiB. */
const nameOf = ({ args, programId }: PhaseRequest): string => {
  const hash = createHash("sha256").update(programId)
  for (const arg of args) hash.update(`${arg.length}:`).update(arg)
  return hash.digest("base64")
}

/** The entries of one project, least recently used first. */
interface OfProject {
  readonly entries: Map<string, PastRequests>
  bytes: number
}

/** The entry of one program and its inputs. */
export interface Remembered {
  readonly before: PastRequests
  /** Changes the current entry, which other runs may have changed meanwhile. */
  readonly update: (change: (before: PastRequests) => PastRequests) => void
}

/**
 * Remembers requests. When the memory is full, the project that uses most of it loses its least recently used entry, so
 * a project with many inputs does not evict the entries of others. A project never sees another project's entries.
 */
export class RequestMemory {
  readonly #projects = new Map<string, OfProject>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(most = maxBytes) {
    this.#maxBytes = most
  }

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** The entry for a run. */
  find(request: PhaseRequest): Remembered {
    const { projectId } = request
    const known = this.#projects.get(projectId)
    // For programs that make no requests, nothing is hashed.
    let name = known === undefined ? undefined : nameOf(request)
    const found = (of: OfProject | undefined): PastRequests => (name === undefined ? undefined : of?.entries.get(name)) ?? noRequests
    return {
      before: found(known),
      update: (change) => {
        name ??= nameOf(request)
        this.#replace(projectId, name, change(found(this.#projects.get(projectId))))
      }
    }
  }

  #replace(projectId: string, name: string, after: PastRequests): void {
    const project = this.#projects.get(projectId) ?? { entries: new Map<string, PastRequests>(), bytes: 0 }
    this.#forget(projectId, project, name)
    if (after.requests.length === 0 && !after.hasMissed) return
    project.entries.set(name, after)
    this.#projects.set(projectId, project)
    this.#count(project, bytesOf(after))
    while (this.#bytes > this.#maxBytes) this.#forgetOne()
  }

  #forgetOne(): void {
    let most: readonly [projectId: string, project: OfProject] | undefined
    for (const one of this.#projects) if (most === undefined || one[1].bytes > most[1].bytes) most = one
    const [name] = most?.[1].entries.keys() ?? []
    if (most !== undefined && name !== undefined) this.#forget(...most, name)
  }

  #forget(projectId: string, project: OfProject, name: string): void {
    const entry = project.entries.get(name)
    if (entry !== undefined) {
      project.entries.delete(name)
      this.#count(project, -bytesOf(entry))
    }
    if (project.entries.size === 0) this.#projects.delete(projectId)
  }

  #count(project: OfProject, bytes: number): void {
    project.bytes += bytes
    this.#bytes += bytes
  }
}
