/** For tests: a real service behind a real WebSocket in this process, whose programs answer what the test says. */
import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import type { Duplex } from "node:stream"
import { type PhaseOutcome, type Peer, ProgramRuntime, type Service, type Socket } from "@sibyl/core"
import { openMemoryService } from "@sibyl/testing"
import { Effect, Layer } from "effect"

/** What this test needs of `ws`, which has no types of its own. */
interface ServerSocket {
  readonly on: (event: string, listener: (...args: ReadonlyArray<never>) => void) => void
  readonly send: (text: string) => void
  readonly ping: () => void
  readonly close: (code: number, reason: string) => void
  readonly terminate: () => void
  readonly bufferedAmount: number
}

interface UpgradeServer {
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, done: (socket: ServerSocket) => void) => void
}

const { WebSocketServer } = createRequire(import.meta.url)("ws") as {
  readonly WebSocketServer: new (options: { readonly noServer: true }) => UpgradeServer
}

const bridged = (client: ServerSocket, open: (socket: Socket) => Peer): void => {
  const peer = open({
    sendTexts: (texts) => texts.forEach((text) => client.send(text)),
    bufferedAmount: () => client.bufferedAmount,
    ping: () => client.ping(),
    close: (code, reason) => client.close(code, reason),
    terminate: () => client.terminate()
  })
  client.on("message", (data: Buffer) => peer.message(String(data)))
  client.on("pong", () => peer.pong())
  client.on("close", (code: number, reason: Buffer) => peer.closed(code, String(reason)))
}

const upgradesOf = (service: Service) => {
  const upgrades = new WebSocketServer({ noServer: true })
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on("error", () => socket.destroy())
    const answer = await service.upgrade({
      method: "GET",
      url: request.url ?? "/",
      header: (name) => request.headers[name]?.toString(),
      body: () => Promise.resolve(new Uint8Array())
    })
    if (typeof answer === "function") return upgrades.handleUpgrade(request, socket, head, (client) => bridged(client, answer))
    socket.end(`HTTP/1.1 ${answer?.status ?? 404} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  }
}

/** A running server. */
export interface FeedServer {
  readonly url: string
  readonly key: string
  readonly programId: string
  /** Drains the service, which closes its connections, and stops the server. */
  readonly close: () => Promise<void>
}

/** Starts a server of one program. `answer` is what each run's result is, or its exit code. */
export const startFeedServer = async (answer: (run: number) => string | number): Promise<FeedServer> => {
  let runs = 0
  const run = Effect.sync((): PhaseOutcome => {
    const said = answer(runs)
    runs += 1
    const [result, exitCode] = typeof said === "string" ? [said, 0] : ["", said]
    const ended = { exitCode, exitMessage: "Ok", gasUsed: 1n, gasCharged: 1n, stdout: "", stderr: "", proxies: [] }
    return { ...ended, result: new TextEncoder().encode(result) }
  })
  // The tally hands on what the execution found.
  const machine = Layer.succeed(ProgramRuntime, {
    run: ({ phase, args }) => (phase === "exec" ? run : Effect.succeed(tallyOf(args)))
  })
  const oracle = await openMemoryService(machine)
  const programId = await oracle.deploy(Uint8Array.of(1))
  const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
  await oracle.grant(projectId, 1_000_000n)
  const upgrade = upgradesOf(oracle.service)
  const server = createServer((_request, response) => response.writeHead(404).end())
  server.on("upgrade", (request, socket, head) => void upgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    key: await oracle.issueKey(projectId),
    programId,
    close: async () => {
      await oracle.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** The tally's second argument holds the reveals; its program here takes the first one's bytes for the result. */
const tallyOf = (args: ReadonlyArray<string>): PhaseOutcome => {
  const [first]: ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }> = JSON.parse(args[1] ?? "[]")
  const ended = { exitCode: 0, exitMessage: "Ok", gasUsed: 1n, gasCharged: 1n, stdout: "", stderr: "", proxies: [] }
  return { ...ended, result: Uint8Array.from(first?.reveal ?? []) }
}
