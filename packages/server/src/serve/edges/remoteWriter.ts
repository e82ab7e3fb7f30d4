/** The way of an edge to the writer of its supervisor. */
import type { ConnectWriter, WriterListener } from "@sibyl/sql"
import type { FromEdge, ToEdge } from "./edgeMessages.ts"

/** Sends over the channel to the supervisor. */
export class RemoteWriter {
  readonly #tell: (message: FromEdge) => void
  #listener: WriterListener | undefined
  #links = 0

  /** `tell` sends a message to the supervisor; it throws if a value in it cannot be sent. */
  constructor(tell: (message: FromEdge) => void) {
    this.#tell = tell
  }

  /** Opens a link. There is one at a time: another one is opened only when the supervisor has said that the last is lost. */
  readonly connect: ConnectWriter = (_settings, listener) => {
    this.#listener = listener
    this.#links += 1
    const link = this.#links
    return {
      post: (messages) => this.#tell({ kind: "write", link, messages }),
      // The channel keeps the process alive, and ends it.
      keepAlive: () => {},
      ended: Promise.resolve()
    }
  }

  /** What the supervisor passes on. */
  heard(message: Extract<ToEdge, { readonly kind: "written" | "writerLost" }>): void {
    if (message.kind === "written") this.#listener?.answered(message.answers)
    else this.#listener?.lost(message.why)
  }
}
