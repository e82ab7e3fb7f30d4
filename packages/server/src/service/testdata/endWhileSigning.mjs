// A process whose threads sign in native code without pause, and that ends its threads, in the way of its argument, once some results are signed.
import { writeSync } from "node:fs"
import { DataProxies, defaultLimits, HttpFetch, localNetwork, Network, programIdOf, ProgramRuntime, Signer } from "@sibyl/core"
import { call, encodeModule, hostImport, i32Const } from "@sibyl/testing/wasm"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"

const [, , way] = process.argv

/** Written before the next statement: Bun ends a process without what is still on its way out. */
const say = (text) => writeSync(1, text)

const ends = {
  exit: () => process.exit(0),
  throw: () => {
    throw new Error("as asked")
  },
  close: () => runtime.dispose()
}

const signer = {
  publicKey: "",
  sign: () => Effect.dieMessage("a thread did not sign"),
  inThreads: {
    module: new URL("manySignatures.mjs", import.meta.url).href,
    secret: Redacted.make(new Uint8Array(32).fill(7)),
    publicKey: ""
  }
}
const http = Layer.succeed(HttpFetch, { fetch: () => Effect.dieMessage("a request") })
const ports = Layer.mergeAll(http, DataProxies.layerMemory(), Network.layer(localNetwork), Layer.succeed(Signer, signer))
const runtime = ManagedRuntime.make(layerProxiedProgramRuntime({ workers: 2 }).pipe(Layer.provide(ports)))

const program = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...i32Const(0), ...call(0)] }] })
const [programId, gasLimit, empty] = [programIdOf(program), 2n ** 63n, new Uint8Array()]
const exec = { phase: "exec", projectId: "project", programId, program, args: [], envs: [], gasLimit, limits: defaultLimits }
const request = {
  version: "0.0.1",
  execProgramId: programId,
  execInputs: empty,
  execGasLimit: gasLimit,
  tallyProgramId: programId,
  tallyInputs: empty,
  tallyGasLimit: gasLimit,
  replicationFactor: 1,
  consensusFilter: Uint8Array.of(0),
  gasPrice: 0n,
  memo: empty
}
const following = { program, blockHeight: 3n, sign: { version: "0.0.1" }, request }

let signed = 0
const enough = 4 + Math.floor(Math.random() * 8)
const runForever = async () => {
  while (signed < enough) {
    const outcome = await runtime.runPromise(Effect.flatMap(ProgramRuntime, ({ runBoth }) => runBoth(exec, following)))
    if (outcome.signed === undefined) throw new Error("a result without a signature")
    signed += 1
    if (signed !== enough) continue
    say(`${signed} signed`)
    setTimeout(ends[way], Math.random() * 20)
  }
}
// Closing interrupts those that are under way.
for (let caller = 0; caller < 16; caller += 1) runForever().catch((fault) => signed < enough && say(String(fault)))
