/** A real NATS server for tests and benchmarks, on loopback, that can be stopped and started again at the same address. */
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Daemon, type DaemonPlan, endDaemon, startDaemon, startDaemonSomewhere } from "../daemon/daemon.ts"
import { findNatsServer, whyNoNats } from "./natsServerProgram.ts"

/** A running server. */
export interface TestNats {
  /** `nats://127.0.0.1:PORT`, the same after each start. */
  readonly url: string
  readonly port: number
  /** Of the server's process, while it runs. */
  readonly pid: () => number | undefined
  /** Ends the server's process; its clients lose their connections. */
  readonly stop: Effect.Effect<void>
  /** Starts it again at the same address. */
  readonly start: Effect.Effect<void>
  /** Has it read another configuration while it runs, as `nats-server --signal reload` does. */
  readonly reload: (configuration: string) => Effect.Effect<void>
}

/** Options of a server. */
export interface TestNatsOptions {
  /** Maximum bytes of a message. Default 8 MiB. */
  readonly maxPayloadBytes?: number
  /** Lines added to its configuration, such as `authorization { … }`. */
  readonly configuration?: string
}

/** Its first line names the server's process. */
const untilInputEnds = '"$@" & server=$!; echo "pid $server" >&2; exec >&- 2>&-; cat >/dev/null; kill -TERM $server; wait $server'

const planOf = (program: string, configuration: string): DaemonPlan => ({
  title: "NATS",
  script: untilInputEnds,
  command: (port) => ["sh", program, "-c", configuration, "-a", "127.0.0.1", "-p", `${port}`],
  isReady: /Server is ready/
})

const pidOf = ({ said }: Daemon): number | undefined => said.flatMap((line) => /^pid (\d+)$/.exec(line)?.slice(1).map(Number) ?? [])[0]

/** Starts a server that ends with the scope. Without an installed NATS it dies: check `whyNoNats` before. */
export const startNats = (options: TestNatsOptions = {}): Effect.Effect<TestNats, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program = findNatsServer()
    if (program === undefined) return yield* Effect.dieMessage(whyNoNats ?? "no NATS")
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "sibyl-nats-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const configuration = join(folder, "nats.conf")
    const write = (lines: string) => writeFileSync(configuration, `max_payload: ${options.maxPayloadBytes ?? 8_388_608}\n${lines}\n`)
    write(options.configuration ?? "")
    const plan = planOf(program, configuration)
    const first = yield* Effect.promise(() => startDaemonSomewhere(plan))
    let running: Daemon | undefined = first
    const stop = Effect.promise(async () => {
      const ended = running
      running = undefined
      if (ended !== undefined) await endDaemon(ended)
    })
    yield* Effect.addFinalizer(() => stop)
    const { port } = first
    const start = Effect.promise(async () => {
      running ??= await startDaemon(plan, port)
    })
    const pid = () => (running === undefined ? undefined : pidOf(running))
    const reload = (lines: string) =>
      Effect.sync(() => {
        write(lines)
        const server = pid()
        if (server !== undefined) process.kill(server, "SIGHUP")
      })
    return {
      url: `nats://127.0.0.1:${port}`,
      port,
      pid,
      stop,
      start,
      reload
    }
  })
