/** The options of a connection to NATS. Nothing of its client, whose declarations not every strict compiler accepts. */
import type { Redacted } from "effect"

/** Files in PEM. */
export interface NatsTls {
  /** The certificates that are trusted. Default: those of the system. */
  readonly caFile?: string
  /** The client's certificate and its key, if the server asks for one. */
  readonly certFile?: string
  readonly keyFile?: string
}

/** Where NATS is, and who we are: at most one of user, token, nkey and credentials file. */
export interface NatsOptions {
  /** `nats://host:port`, or `tls://host:port`, one or more; the others of their cluster are found by themselves. */
  readonly servers: ReadonlyArray<string>
  readonly user?: string
  readonly password?: Redacted.Redacted
  readonly token?: Redacted.Redacted
  /** A seed, as `nsc` or `nk` writes it: begins with SU. */
  readonly nkeySeed?: Redacted.Redacted
  /** A `.creds` file: a JWT and its seed. */
  readonly credentialsFile?: string
  /** Given, or a server is named `tls://`: nothing is sent in the clear. */
  readonly tls?: NatsTls
  /** Shown in the server's list of connections. */
  readonly name?: string
  /** How long the first connection may take, in ms, for servers that start together. Default 10,000. */
  readonly firstConnectMs?: number
}
