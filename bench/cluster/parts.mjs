/** What the benchmark of executors runs: NATS, an upstream, executors in processes of their own, an edge, and the same in this process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { layerRemoteRuntime, NatsConnection } from "@sibyl/cluster"
import { DataProxies, defaultLimits, Entropy, Network, ProgramRuntime, programIdOf, Signer } from "@sibyl/core"
import { callingProgram } from "@sibyl/testing/wasm"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Context, Effect, Layer, Redacted } from "effect"

const [host, echoHost] = ["executorHost.mjs", "echoHost.mjs"].map((name) => fileURLToPath(new URL(name, import.meta.url)))

const shared = Layer.mergeAll(
  Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
  DataProxies.layerMemory(),
  Network.layer({ name: "bench", chainId: "sibyl-1-bench" }),
  Entropy.layer
)

/** An upstream that answers after so many ms. */
export const openUpstream = (delayMs) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((_, response) => setTimeout(() => response.end("hello"), delayMs))
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => server.closeAllConnections() ?? server.close())
    ),
    (server) => `http://127.0.0.1:${server.address().port}`
  )

const startProcess = (file, argument) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [file, argument], { stdio: ["pipe", "pipe", "inherit"] })
      await once(child.stdout, "data")
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )

/** Starts an executor; it ends with the scope. */
export const startExecutor = (url, origin, executor = { workers: 1, places: 64 }) =>
  startProcess(host, JSON.stringify({ executor, origin, url }))

/** As many bytes as a task has. */
const echoed = new Uint8Array(1_000)

/** A request over NATS that another process sends back. */
export const openEcho = (url) =>
  Effect.gen(function* () {
    yield* startProcess(echoHost, url)
    const connection = Context.get(yield* Layer.build(NatsConnection.layer({ servers: [url] })), NatsConnection)
    return { run: () => connection.request("echo", echoed, 5_000) }
  })

const built = (layer) => Effect.map(Layer.build(layer), (context) => Context.get(context, ProgramRuntime))

/** The runtime over executors, once it has heard of so many. */
export const openEdge = (url, executors) =>
  Effect.gen(function* () {
    const machine = yield* built(layerRemoteRuntime().pipe(Layer.provide([NatsConnection.layer({ servers: [url] }), shared])))
    while ((yield* machine.readyWorkers) < executors) yield* Effect.sleep(20)
    return machine
  })

/** The runtime in this process, with one worker. */
export const openLocal = (origin) =>
  built(layerProxiedProgramRuntime({ workers: 1 }).pipe(Layer.provide([layerHttpFetch({ hostOverrides: { "u.test": origin } }), shared])))

/** A run of a program that makes so many requests, one after the other. */
export const requestOf = (fetches) => {
  const program = callingProgram(Array.from({ length: fetches }, (_, at) => ({ kind: "fetch", url: `https://u.test/${at}` })))
  return {
    phase: "exec",
    projectId: "project",
    programId: programIdOf(program),
    program,
    args: [],
    envs: [["VM_MODE", "dr"]],
    gasLimit: 300_000_000_000_000n,
    limits: { ...defaultLimits, httpPrefetches: 0 }
  }
}

/** Processor time of a process with its threads, in ms; a tick of Linux is 10 ms. */
export const processorMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}
