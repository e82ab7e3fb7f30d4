/** An interruption inside of a request of an open service: nobody asked for it, so it is a fault of a port, as a defect is. */
import { Cause, Effect } from "effect"
import type { Failure } from "../../contract/errors.ts"

/** A port ended with an interruption, such as one whose own runtime was disposed. */
class PortInterrupted extends Error {
  override readonly name = "PortInterrupted"
  override readonly message = "a port ended with an interruption, and the service is not closing"
}

/** The cause of a failed request for those who answer and log it: an interruption stands for a service that closes only where it does. */
export const causeWhile = <E>(isOpen: boolean, cause: Cause.Cause<E>): Cause.Cause<E> =>
  isOpen && Cause.isInterruptedOnly(cause) ? Cause.die(new PortInterrupted()) : cause

/** The same run of a feed, whose failure is told as {@link causeWhile} tells it. A run that is itself interrupted is told nothing. */
export const toldInterruption = <A, R>(isOpen: Effect.Effect<boolean>, run: Effect.Effect<A, Failure, R>): Effect.Effect<A, Failure, R> =>
  Effect.catchAllCause(run, (cause) => Effect.flatMap(isOpen, (open) => Effect.failCause(causeWhile(open, cause))))
