/** Gives every edge the one writer of the supervisor: passes on what they send it and what it answers. */
import type { Message, SharedWriter, SharedWriterClient } from "@sibyl/sql"
import type { ToEdge } from "./edgeMessages.ts"

/** One that orders are from, and that is answered. */
export interface BridgedEdge {
  readonly tell: (message: ToEdge) => void
}

interface Bridge {
  readonly client: SharedWriterClient
  /** The number of the edge's link that is open; it grows when the writer's thread dies. */
  link: number
}

/** The ways of all edges to the writer. */
export class WriterBridge<Edge extends BridgedEdge> {
  readonly #writer: SharedWriter
  readonly #bridges = new Map<Edge, Bridge>()

  constructor(writer: SharedWriter) {
    this.#writer = writer
  }

  /** An edge sends messages over its link. Those of a link that is lost are dropped: the edge is told so, or will be. */
  write(edge: Edge, link: number, messages: ReadonlyArray<Message>): void {
    const bridge = this.#bridges.get(edge) ?? this.#open(edge)
    if (bridge.link !== link) return
    try {
      bridge.client.post(messages)
    } catch (cause) {
      this.#lose(edge, cause instanceof Error ? cause.message : String(cause))
    }
  }

  /** The edge has ended. */
  gone(edge: Edge): void {
    this.#bridges.get(edge)?.client.close()
    this.#bridges.delete(edge)
  }

  #open(edge: Edge): Bridge {
    const client = this.#writer.client({
      answered: (answers) => edge.tell({ kind: "written", answers }),
      lost: (why) => this.#lose(edge, why)
    })
    const bridge = { client, link: 1 }
    this.#bridges.set(edge, bridge)
    return bridge
  }

  #lose(edge: Edge, why: string): void {
    const bridge = this.#bridges.get(edge)
    if (bridge === undefined) return
    bridge.link += 1
    edge.tell({ kind: "writerLost", why })
  }
}
