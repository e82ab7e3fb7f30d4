/** Why there is no connection to NATS, or no answer. No message contains a password, a token, a seed, or the name of a user. */
import { Data } from "effect"

/** An option breaks its rule. */
export class NatsMisconfigured extends Data.TaggedError("NatsMisconfigured")<{
  readonly field: string
  readonly message: string
}> {}

/** No server was reached in time. */
export class NatsUnreachable extends Data.TaggedError("NatsUnreachable")<{
  /** Hosts and ports. */
  readonly servers: ReadonlyArray<string>
  readonly message: string
}> {}

/** A server was reached and does not accept our credentials, or this use of them. */
export class NatsRefused extends Data.TaggedError("NatsRefused")<{
  readonly servers: ReadonlyArray<string>
  readonly message: string
}> {}

/** A server lets us in, and not do what our role needs. */
export class NatsForbidden extends Data.TaggedError("NatsForbidden")<{
  /** Such as `publish to sibyl.run.default`. */
  readonly refused: ReadonlyArray<string>
  readonly message: string
}> {}

/** A request has no answer. */
export class NatsSilent extends Data.TaggedError("NatsSilent")<{
  /** `nobody`: no one listens on the subject; `late`: no answer in time; `disconnected`: it was not sent. */
  readonly why: "nobody" | "late" | "disconnected"
  readonly message: string
}> {}
