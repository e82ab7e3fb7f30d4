/** An interruption inside of a request of an open service: nobody asked for it, so it is a fault of a port, as a defect is. */
import { Cause } from "effect"

/** A port ended with an interruption, such as one whose own runtime was disposed. */
class PortInterrupted extends Error {
  override readonly name = "PortInterrupted"
  override readonly message = "a port ended with an interruption, and the service is not closing"
}

/** The cause of a failed request for those who answer and log it: an interruption stands for a service that closes only where it does. */
export const causeWhile = <E>(isOpen: boolean, cause: Cause.Cause<E>): Cause.Cause<E> =>
  isOpen && Cause.isInterruptedOnly(cause) ? Cause.die(new PortInterrupted()) : cause
