/** For tests: a real service behind a real WebSocket in this process, with scripted programs. */
import { createServer } from "node:http"
import { attachUpgrades } from "@sibyl/adapter-express"
import { type PhaseOutcome, ProgramRuntime } from "@sibyl/core"
import { openMemoryService } from "@sibyl/testing"
import { Effect, Layer } from "effect"

/** A running server. */
export interface FeedServer {
  readonly url: string
  readonly key: string
  readonly programId: string
  /** Drains the service, which closes its connections, and stops the server. */
  readonly close: () => Promise<void>
}

/** Starts a server of one program. `answer` gives each run's result, or its exit code. */
export const startFeedServer = async (answer: (run: number) => string | number): Promise<FeedServer> => {
  let runs = 0
  const run = Effect.sync((): PhaseOutcome => {
    const said = answer(runs)
    runs += 1
    const [result, exitCode] = typeof said === "string" ? [said, 0] : ["", said]
    const ended = { exitCode, exitMessage: "Ok", gasUsed: 1n, gasCharged: 1n, stdout: "", stderr: "", proxies: [] }
    return { ...ended, result: new TextEncoder().encode(result) }
  })
  // The tally returns the execution's result.
  const machine = Layer.succeed(ProgramRuntime, {
    run: ({ phase, args }) => (phase === "exec" ? run : Effect.succeed(tallyOf(args)))
  })
  const oracle = await openMemoryService(machine)
  const programId = await oracle.deploy(Uint8Array.of(1))
  const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
  await oracle.grant(projectId, 1_000_000n)
  const server = createServer((_request, response) => response.writeHead(404).end())
  attachUpgrades(server, oracle.service)
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

/** The tally's second argument has the reveals; this tally returns the bytes of the first. */
const tallyOf = (args: ReadonlyArray<string>): PhaseOutcome => {
  const [first]: ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }> = JSON.parse(args[1] ?? "[]")
  const ended = { exitCode: 0, exitMessage: "Ok", gasUsed: 1n, gasCharged: 1n, stdout: "", stderr: "", proxies: [] }
  return { ...ended, result: Uint8Array.from(first?.reveal ?? []) }
}
