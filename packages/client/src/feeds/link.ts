/** A connection that is opened when it is needed, again when it is lost, and closed when nobody needs it any more. */
import { type ClientError, isClientError, NotReached, UnexpectedAnswer } from "../errors/clientError.ts"
import type { Caller } from "../rest/call.ts"
import { isTransient, reopenInMs } from "../ground/retryPolicy.ts"
import { openSession } from "./openSocket.ts"
import type { Session } from "./session.ts"

/** What uses a link. */
export interface LinkUser {
  /** A session has begun; each ends with {@link lost} before the next one begins. */
  readonly opened: (session: Session) => void
  readonly lost: () => void
  /** No session will ever begin. */
  readonly refused: (error: ClientError) => void
}

/** What happened to the connection to an address. */
export interface ConnectionEvent {
  /** `open`: the service has let us in; `lost`: a connection has ended, or could not be made, and is tried again unless `closed` follows; `closed`: nobody needs it. */
  readonly state: "open" | "lost" | "closed"
  readonly address: string
  /** Of `lost`: why. Where the service closed it, the message has the close code and the reason that it gave. */
  readonly error?: ClientError | undefined
}

/** What a link is made of. */
export interface LinkInput {
  /** Its addresses are used in turn. */
  readonly caller: Caller
  readonly onConnection: (event: ConnectionEvent) => void
}

/** Whatever the user's own function for `auth` throws: it may have no network either. */
const errorOf = (caught: unknown): ClientError =>
  isClientError(caught) ? caught : new NotReached("auth gave no key or ticket", caught, false)

const lostBy = ({ whyEnded }: Session, address: string): NotReached => new NotReached(`${address} ${whyEnded}`)

/** One connection for all who use it. */
export class Link {
  readonly #input: LinkInput
  readonly #users = new Set<LinkUser>()
  #session: Session | undefined
  #attempts = 0
  #address = 0
  /** How many addresses in a row answer what is not of the service. */
  #strange = 0
  /** Ends what is under way: an opening, or the wait before it. */
  #cancel: (() => void) | undefined
  /** The address of which `lost` was the last word. */
  #lost: string | undefined

  constructor(input: LinkInput) {
    this.#input = input
  }

  /** Whether nobody uses it. */
  get isIdle(): boolean {
    return this.#users.size === 0
  }

  /** Begins to use the connection, which is opened if it is not there. */
  join(user: LinkUser): void {
    this.#users.add(user)
    if (this.#session !== undefined) user.opened(this.#session)
    else if (this.#cancel === undefined) this.#open()
  }

  /** Ends the use. The last one closes the connection. */
  leave(user: LinkUser): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
    const session = this.#session
    this.#session = undefined
    if (session !== undefined) session.close()
    else if (this.#lost !== undefined) this.#tell({ state: "closed", address: this.#lost })
  }

  get #base(): string {
    const { addresses } = this.#input.caller
    return addresses[this.#address % addresses.length] as string
  }

  #open(): void {
    const opening = new AbortController()
    this.#cancel = () => opening.abort()
    void this.#opened(this.#base, opening.signal)
  }

  async #opened(address: string, opening: AbortSignal): Promise<void> {
    const own: { session?: Session } = {}
    try {
      const session = await openSession(this.#input.caller, address, opening, () => this.#ended(own.session, address))
      own.session = session
      if (opening.aborted) return session.close()
      if (!session.isOpen) return this.#failed(lostBy(session, address), address)
      this.#cancel = undefined
      this.#session = session
      this.#strange = 0
      this.#tell({ state: "open", address })
      for (const user of this.#usersNow) user.opened(session)
    } catch (caught) {
      if (!opening.aborted) this.#failed(errorOf(caught), address)
    }
  }

  /** Those who use it now: what they are told may make them leave, or others join. */
  get #usersNow(): ReadonlyArray<LinkUser> {
    return Array.from(this.#users)
  }

  #ended(session: Session | undefined, address: string): void {
    // Lost before anybody used it: whoever waits for it finds it closed.
    if (session === undefined) return
    if (this.#session !== session) return this.#tell({ state: "closed", address })
    this.#session = undefined
    if (session.isProved) this.#attempts = 0
    this.#tell({ state: "lost", address, error: lostBy(session, address) })
    for (const user of this.#usersNow) user.lost()
    this.#again()
  }

  #failed(error: ClientError, address: string): void {
    this.#cancel = undefined
    this.#tell({ state: "lost", address, error })
    if (this.#maySucceed(error)) return this.#again(error)
    this.#strange = 0
    for (const user of this.#usersNow) user.refused(error)
  }

  /** What stands before one address, and does not pass a WebSocket on, says nothing of the others. */
  #maySucceed(error: ClientError): boolean {
    const isPassing = isTransient(error)
    this.#strange = isPassing ? 0 : this.#strange + 1
    return isPassing || (error instanceof UnexpectedAnswer && this.#strange < this.#input.caller.addresses.length)
  }

  /** After a wait, at the next address. */
  #again(error?: ClientError): void {
    if (this.#users.size === 0) return
    const { caller } = this.#input
    this.#attempts += 1
    this.#address += 1
    this.#cancel = caller.platform.after(reopenInMs(this.#attempts, error, caller.retry, caller.platform.random()), () => {
      this.#cancel = undefined
      this.#open()
    })
  }

  #tell(event: ConnectionEvent): void {
    this.#lost = event.state === "lost" ? event.address : undefined
    // What the user's own code throws is the user's: the connection goes on.
    this.#input.caller.platform.after(0, () => this.#input.onConnection(event))
  }
}
