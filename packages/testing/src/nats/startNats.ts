/** A real NATS server for tests and benchmarks, on loopback, that can be stopped and started again at the same address. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
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
}

/** Options of a server. */
export interface TestNatsOptions {
  /** Maximum bytes of a message. Default 8 MiB. */
  readonly maxPayloadBytes?: number
  /** Lines added to its configuration, such as `authorization { … }`. */
  readonly configuration?: string
}

const startTries = 5

/** The server ends when the standard input of this shell does, so also when the process that started it is gone. */
const untilInputEnds = '"$@" & server=$!; echo "pid $server" >&2; exec >&- 2>&-; cat >/dev/null; kill -TERM $server; wait $server'

const freePort = async (): Promise<number> => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

interface Running {
  readonly shell: ChildProcess
  readonly pid: number | undefined
}

/** The process once it accepts connections; fails with the server's output if it ends before that. */
const serve = async (program: string, configuration: string, port: number): Promise<Running> => {
  const args = ["-c", untilInputEnds, "sh", program, "-c", configuration, "-a", "127.0.0.1", "-p", `${port}`]
  const shell = spawn("/bin/sh", args, { stdio: ["pipe", "ignore", "pipe"] })
  const said: Array<string> = []
  let pid: number | undefined
  const lines = createInterface({ input: shell.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      pid ??= Number(/^pid (\d+)$/.exec(line)?.[1] ?? Number.NaN) || undefined
      if (said.length < 100) said.push(line)
      if (line.includes("Server is ready")) resolve()
    })
    lines.once("close", () => {
      shell.stdin.end()
      reject(new Error(`NATS did not start: ${said.join("\n")}`))
    })
  })
  return { shell, pid }
}

const end = async ({ shell }: Running): Promise<void> => {
  if (shell.exitCode !== null || shell.signalCode !== null) return
  const ended = once(shell, "exit")
  shell.stdin?.end()
  await ended
}

/** A port that was free may be taken by now: then another is tried. */
const serveSomewhere = async (program: string, configuration: string) => {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort()
    try {
      return { port, running: await serve(program, configuration, port) }
    } catch (cause) {
      if (tried === startTries) throw cause
    }
  }
}

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
    writeFileSync(configuration, `max_payload: ${options.maxPayloadBytes ?? 8_388_608}\n${options.configuration ?? ""}\n`)
    const first = yield* Effect.promise(() => serveSomewhere(program, configuration))
    let running: Running | undefined = first.running
    const stop = Effect.promise(async () => {
      const ended = running
      running = undefined
      if (ended !== undefined) await end(ended)
    })
    yield* Effect.addFinalizer(() => stop)
    const { port } = first
    const start = Effect.promise(async () => {
      running ??= await serve(program, configuration, port)
    })
    return { url: `nats://127.0.0.1:${port}`, port, pid: () => running?.pid, stop, start }
  })
