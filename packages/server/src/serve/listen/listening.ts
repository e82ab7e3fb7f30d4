/** A listening server, independent of the runtime. */
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
}

/** A server that listens until its scope closes. */
export interface Listening {
  /** The base URL with the prefix, without a trailing slash. */
  readonly url: string
  /** The runtime in words: `Node 20.20.2 (Express)`. */
  readonly runtime: string
}

/** The address cannot be bound. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** Starts a server for a service. When the scope closes, it takes no new request, finishes the running ones and stops. */
export type Listen = (service: Service, address: Address) => Effect.Effect<Listening, CannotListen, Scope.Scope>

/** Loads the runtime's server on demand. */
export type LoadListen = () => Promise<Listen>

/** What an operator can do about an address that cannot be bound. */
export const cannotListen = ({ host, port }: Pick<Address, "host" | "port">, cause: unknown): CannotListen => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)
  return new CannotListen({
    message:
      code === "EADDRINUSE" ? `port ${port} of ${host} is in use; choose another with --port` : `cannot listen on ${host}:${port} (${code})`
  })
}

/** A server's address as a person types it. */
export const originOf = ({ host, port, prefix }: Pick<Address, "host" | "port" | "prefix">): string => {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${shown}:${port}${prefix}`
}
