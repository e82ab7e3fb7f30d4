/** A NATS server of one machine: found, started on loopback, and known to this cluster alone. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Redacted } from "effect"
import { CommandFailed } from "../output/failure.ts"
import { claimPort } from "../serve/listen/claimPort.ts"
import { keepRunning, type WorkingProcess } from "../supervision/keepRunning.ts"
import { natsProgram } from "./natsProgram.ts"

const host = "127.0.0.1"
/** Tapes of runs are larger than NATS's own bound of 1 MiB. */
const maxPayloadBytes = 8_388_608
const tokenBytes = 24

/** It has a group of its own, so that Ctrl-C does not reach it before the work is done, and ends with this process, however that ends. */
const untilInputEnds = '"$@" & server=$!; (cat >/dev/null; kill -TERM $server 2>/dev/null) <&3 & exec 3<&-; wait $server'

const launch = (program: string, configuration: string, port: number): ChildProcess =>
  spawn("/bin/sh", ["-c", `exec 3<&0; ${untilInputEnds}`, "sh", program, "-c", configuration, "-a", host, "-p", `${port}`], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true
  })

/** A step with files, and the failure that it may be. */
const inFolder = <A>(step: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: step,
    catch: (cause) => new CommandFailed({ message: `nats-server needs a folder in ${tmpdir()}, which TMPDIR names: ${String(cause)}` })
  })

/** A file with the token, there only until the server has read it: whoever is killed removes nothing. */
const configurationFile = (text: string) =>
  Effect.acquireRelease(
    inFolder(() => mkdtemp(join(tmpdir(), "sibyl-nats-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.map((folder) => join(folder, "nats.conf")),
    Effect.tap((file) => inFolder(() => writeFile(file, text, { mode: 0o600 })))
  )

const started = (program: string, configuration: string, port: number): Effect.Effect<WorkingProcess, CommandFailed> =>
  Effect.async((resume) => {
    const child = launch(program, configuration, port)
    const said: Array<string> = []
    const ended = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) => resolve(`ended with ${signal === null ? `code ${code}` : `signal ${signal}`}`))
      child.once("error", (error) => resolve(error.message))
    })
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (said.length < 20) said.push(line)
        if (line.includes("Server is ready")) resume(Effect.succeed({ pid: child.pid, ended, stop: () => child.stdin?.end() }))
      })
    }
    void ended.then((how) => resume(new CommandFailed({ message: `nats-server ${how}: ${said.at(-1) ?? "it said nothing"}` })))
  })

const start = (program: string, configuration: string, port: number) =>
  Effect.scoped(Effect.flatMap(configurationFile(configuration), (file) => started(program, file, port)))

/** Starts one, and starts it again at the same address if it ends. When the scope closes, it ends. */
export const localNats = Effect.gen(function* () {
  const program = yield* natsProgram(process.env["PATH"] ?? "")
  const token = randomBytes(tokenBytes).toString("hex")
  const configuration = `max_payload: ${maxPayloadBytes}\nauthorization { token: "${token}" }\n`
  const port = yield* claimPort({ host, port: 0 })
  yield* keepRunning({ name: "nats-server", start: start(program, configuration, port) })
  return { servers: [`nats://${host}:${port}`], token: Redacted.make(token) }
})
