/** A JSON-RPC client for tests, over a socket without a network. */
import type { Service } from "../edge/transport/seam.ts"
import { grantedUpgrade, type HandSocket, handSocket } from "./handSocket.ts"

/** The parts of the service's messages that tests read. */
export interface Said {
  readonly id?: string | null
  readonly method?: string
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly _tag: string; readonly message: string }
  readonly params?: {
    readonly feedId: string
    readonly seq: number
    readonly result?: unknown
    readonly error?: { readonly _tag: string }
  }
}

/** An open connection. */
export interface RpcClient {
  readonly socket: HandSocket
  /** Every message, in order. */
  readonly said: () => ReadonlyArray<Said>
  /** Sends a request, and waits for the reply. */
  readonly ask: (method: string, params: object) => Promise<Said>
}

/** The time limit of anything in a test: ten times what the service allows itself. */
const patienceMs = 10_000

/** Waits until `find` finds something; fails after ten times as long as it may take. */
export const eventually = async <A>(find: () => A | undefined | Promise<A | undefined>, what: string): Promise<A> => {
  const deadlineMs = Date.now() + patienceMs
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > deadlineMs) throw new Error(`it did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Opens a connection with a key. */
export const rpcClient = async (service: Service, key: string): Promise<RpcClient> => {
  const socket = handSocket(await grantedUpgrade(service, key))
  const said = () => socket.texts.map((text) => JSON.parse(text) as Said)
  let asked = 0
  return {
    socket,
    said,
    ask: (method, params) => {
      const id = `ask-${(asked += 1)}`
      socket.peer.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
      return eventually(() => said().find((each) => each.id === id), `the answer to ${method}`)
    }
  }
}
