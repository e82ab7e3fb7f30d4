/** Whoever may not do at NATS what its role needs does not start: NATS refuses a subject after the fact, and says so to nobody else. */
import { Effect } from "effect"
import type { NatsConnection } from "./natsConnection.ts"
import { NatsForbidden } from "./natsErrors.ts"

/** A server that does not answer in this time will, or is lost; both are the connection's affair. */
const answeredMs = 5_000

/** Waits until the server has judged what was sent and subscribed before, and fails with all that it has refused. */
export const permitted = (connection: NatsConnection["Type"], role: "an edge" | "an executor"): Effect.Effect<void, NatsForbidden> =>
  // With the first answer, the client knows of a refusal; with the second, it has told us.
  Effect.zipRight(connection.flushed, connection.flushed).pipe(
    Effect.interruptible,
    Effect.timeoutOption(answeredMs),
    Effect.ignore,
    Effect.flatMap(() => {
      const refused = connection.refused()
      if (refused.length === 0) return Effect.void
      return Effect.fail(
        new NatsForbidden({ refused, message: `NATS does not let this user do what ${role} does: it may not ${refused.join("; ")}` })
      )
    })
  )
