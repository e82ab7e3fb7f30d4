// One process that runs many commands, one after the other: most of a command's time is the loading of its modules.
import { Effect, Exit } from "effect"

const bun = typeof globalThis.Bun !== "undefined"
const dist = new URL("../../dist/", import.meta.url)
const { commandLine, exitCode } = await import(new URL("commandLine/commandLine.js", dist).href)
const context = await (bun ? import("@effect/platform-bun/BunContext") : import("@effect/platform-node/NodeContext"))
const listening = () =>
  bun
    ? import(new URL("serve/listen/listenBun.js", dist).href).then(({ listenBun }) => listenBun)
    : import(new URL("serve/listen/listenNode.js", dist).href).then(({ listenNode }) => listenNode)
const forkEdge = Effect.dieMessage("this process starts no edges")
const loadRuntime = async () => ({ listen: await listening(), forkEdge })

/** Takes what is written on a stream, until it is given back. */
const capture = (stream) => {
  const { write } = stream
  const chunks = []
  stream.write = (chunk, encoding, written) => {
    chunks.push(Buffer.from(chunk, typeof encoding === "string" ? encoding : undefined))
    const done = typeof encoding === "function" ? encoding : written
    if (done !== undefined) queueMicrotask(done)
    return true
  }
  return () => {
    stream.write = write
    return Buffer.concat(chunks).toString()
  }
}

const surround = (cwd, env) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

const run = async ({ id, args, cwd, env }) => {
  surround(cwd, env)
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const argv = [process.execPath, "sibyl", ...args]
  const command = commandLine(argv, loadRuntime).pipe(Effect.provide(context.layer))
  const exit = await Effect.runPromiseExit(command)
  const said = { id, code: Exit.isSuccess(exit) ? 0 : exitCode(exit, argv), stdout: stdout(), stderr: stderr() }
  // The folder of a test is removed with it.
  process.chdir("/")
  process.send(said)
}

let last = Promise.resolve()
process.on("message", (command) => {
  last = last.then(() => run(command))
})
process.once("disconnect", () => process.exit())
process.send("ready")
