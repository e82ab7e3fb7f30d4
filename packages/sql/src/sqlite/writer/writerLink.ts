/** The way to the one that writes to a database: a thread of this process, or one that another process owns. */
import type { Answers, Message, WriterSettings } from "./messages.ts"

/** An open way. */
export interface WriterLink {
  /** Sends messages in their order. Throws if a value in them cannot be sent. */
  readonly post: (messages: ReadonlyArray<Message>) => void
  /** Whether answers are waited for, so that the process must not end. */
  readonly keepAlive: (isNeeded: boolean) => void
  /** Resolves after a close has been answered, when nothing of this way is left. */
  readonly ended: Promise<void>
}

/** What comes back. */
export interface WriterListener {
  readonly answered: (answers: Answers) => void
  /** The writer has ended: nothing that was sent will be answered, and the next message needs a new way. */
  readonly lost: (why: string) => void
}

/** Opens a way. */
export type ConnectWriter = (settings: WriterSettings, listener: WriterListener) => WriterLink
