/** The open connections of a service, by what has opened them: a key, or a ticket of a key. */
import type { Effect } from "effect"
import type { Unauthorized } from "../../contract/errors.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import type { SharedLimits } from "../../services/settings/sharedLimits.ts"
import type { Connection } from "./connection.ts"

/** The current principal of whatever opened a connection; fails if that is valid no more. */
export type Renewed = Effect.Effect<ResolvedPrincipal, Unauthorized>

/** Connections with one principal. */
export interface Together {
  readonly renewed: Renewed
  readonly connections: ReadonlyArray<Connection>
}

interface Entry {
  readonly renewed: Renewed
  readonly connections: Set<Connection>
}

/** A ticket's id is longer than a key's. */
const nameOf = ({ principal: { apiKeyId, project } }: Connection): string => project.ticket?.ticketId ?? apiKeyId

/** The open connections. Those of tickets count as connections of their key. */
export class OpenConnections {
  /** Set when the service begins to end. */
  isEnding = false
  readonly #shared: SharedLimits["Type"]
  readonly #byName = new Map<string, Entry>()
  readonly #countByKey = new Map<string, number>()
  #size = 0

  constructor(shared: SharedLimits["Type"]) {
    this.#shared = shared
  }

  get size(): number {
    return this.#size
  }

  add(connection: Connection, renewed: Renewed): Connection {
    const name = nameOf(connection)
    const entry = this.#byName.get(name) ?? { renewed, connections: new Set() }
    this.#byName.set(name, entry)
    entry.connections.add(connection)
    this.#count(connection.principal.apiKeyId, 1)
    return connection
  }

  remove(connection: Connection): void {
    const name = nameOf(connection)
    const entry = this.#byName.get(name)
    if (entry?.connections.delete(connection) !== true) return
    const { apiKeyId } = connection.principal
    this.#count(apiKeyId, -1)
    this.#shared.connectionClosed(apiKeyId)
    if (entry.connections.size === 0) this.#byName.delete(name)
  }

  #count(apiKeyId: string, by: 1 | -1): void {
    this.#size += by
    const count = this.countOf(apiKeyId) + by
    if (count === 0) this.#countByKey.delete(apiKeyId)
    else this.#countByKey.set(apiKeyId, count)
  }

  countOf(apiKeyId: string): number {
    return this.#countByKey.get(apiKeyId) ?? 0
  }

  all(): ReadonlyArray<Connection> {
    return [...this.#byName.values()].flatMap(({ connections }) => [...connections])
  }

  groups(): ReadonlyArray<Together> {
    return [...this.#byName.values()].map(({ connections, renewed }) => ({ renewed, connections: [...connections] }))
  }
}
