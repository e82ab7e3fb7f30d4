/** The way to a service: requests and sockets, over the network or into this process. */
import { type IncomingMessage, request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { dial, type Ending, type WireClient } from "../../wire/wireClient.ts"

/** A REST request. */
export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Its answer. Names of headers are in lowercase. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Told what comes on a socket. */
export interface SocketEars {
  readonly heard: (text: string) => void
  readonly ended: (code: number) => void
}

/** An open socket. */
export interface WireSocket {
  readonly send: (text: string) => void
  /** Closes it with a close frame. */
  readonly close: () => void
  /** Lets it vanish without one. */
  readonly vanish: () => void
}

/** How traffic reaches a service. */
export interface TrafficWire {
  /** Rejects if no answer comes. */
  readonly ask: (request: WireRequest) => Promise<WireAnswer>
  /** Opens a WebSocket, or resolves to the status of the refusal. Rejects if neither comes. */
  readonly connect: (headers: Readonly<Record<string, string>>, ears: SocketEars) => Promise<WireSocket | number>
}

/** Longer than two phases may take. */
const patienceMs = 60_000
const dayMs = 86_400_000

/** Tells each message once, when it arrives, and the end. */
const listen = async (client: WireClient, ears: SocketEars): Promise<void> => {
  let told = 0
  const tellNew = (): undefined => {
    for (; told < client.messages.length; told += 1) ears.heard(client.messages[told]?.text ?? "")
    return undefined
  }
  await client.until(tellNew, dayMs)
  const ending: Ending | undefined = await client.ended(0)
  ears.ended(ending?.code ?? 1006)
}

const answerOf = async (incoming: IncomingMessage): Promise<WireAnswer> => {
  const pieces: Array<Buffer> = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")] as const)
  return { status: incoming.statusCode ?? 0, headers: Object.fromEntries(headers), text: Buffer.concat(pieces).toString() }
}

/**
 * Asks on a connection of its own: a kept one is closed by the server after some seconds, and a client that is not given the processor for
 * that long would lose its next request through no fault of the service.
 */
const askAlone = (address: string, { body, headers, method }: Omit<WireRequest, "path">): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    const send = url.protocol === "https:" ? requestTls : requestPlain
    const outgoing = send(url, { method, headers, agent: false, signal: AbortSignal.timeout(patienceMs) }, (incoming) => {
      answerOf(incoming).then(resolve, reject)
    })
    outgoing.once("error", reject)
    outgoing.end(body)
  })

/** The way over the network. The addresses are asked for each time, because they may change. */
export const networkWire = (addresses: { readonly baseUrl: string; readonly wsUrl?: string | undefined }): TrafficWire => ({
  ask: ({ body, headers, method, path }) => askAlone(`${addresses.baseUrl}${path}`, { method, headers, body }),
  connect: async (headers, ears) => {
    const dialled = await dial({ url: addresses.wsUrl ?? `${addresses.baseUrl}/ws/v1`, headers })
    if (dialled.client === undefined) {
      if (dialled.answer === undefined) throw new Error("the upgrade was not answered")
      return dialled.answer.status
    }
    const { client } = dialled
    void listen(client, ears)
    return { send: (text) => client.sendText(text), close: () => void client.bye(), vanish: () => client.reset() }
  }
})
