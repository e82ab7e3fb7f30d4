/** A listening server, independent of the runtime. */
import type { ChildProcess } from "node:child_process"
import { Data, type Effect, type Scope } from "effect"
import type { Service } from "@sibyl/core"

/** Where to listen. */
export interface Address {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The path below which everything is served; empty: the root. */
  readonly prefix: string
  /** How long a client may take to send a body. */
  readonly bodyMs: number
  /** How many processes listen on this address together; 1: this one alone. */
  readonly edges: number
}

/** A server that listens until its scope closes. */
export interface Listening {
  /** The base URL with the prefix, without a trailing slash. */
  readonly url: string
  /** The runtime in words: `Node 20.20.2`. */
  readonly runtime: string
  /** Where its metrics are read, if they are on. */
  readonly metrics?: string
}

/** The address cannot be bound. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** Starts a server for a service. When the scope closes, it takes no new request, finishes the running ones and stops. */
export type Listen = (service: Service, address: Address) => Effect.Effect<Listening, CannotListen, Scope.Scope>

/** Starts the process of an edge, with a channel for messages in the structured clone format. */
export type ForkEdge = Effect.Effect<ChildProcess, CannotListen>

/** What serves on one runtime. */
export interface ServerRuntime {
  readonly listen: Listen
  readonly forkEdge: ForkEdge
  /** The process of an executor, with the same channel. */
  readonly forkExecutor: ForkEdge
}

/** Loads the runtime's server on demand. */
export type LoadServerRuntime = () => Promise<ServerRuntime>

/** What an operator can do about an address that cannot be bound. */
export const cannotListen = ({ host, port }: Pick<Address, "host" | "port">, cause: unknown): CannotListen => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)
  return new CannotListen({
    message:
      code === "EADDRINUSE" ? `port ${port} of ${host} is in use; choose another with --port` : `cannot listen on ${host}:${port} (${code})`
  })
}

/** The process of an edge could not be started at all. */
export const notStarted = (cause: unknown): CannotListen =>
  new CannotListen({ message: `no process could be started (${cause instanceof Error ? cause.message : String(cause)})` })

/** A server's address as a person types it. */
export const originOf = ({ host, port, prefix }: Pick<Address, "host" | "port" | "prefix">): string => {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${shown}:${port}${prefix}`
}
