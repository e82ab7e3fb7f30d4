/** The kit's programs behave as documented, on a minimal host without gas. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assemble, AssemblyFault } from "../../wasm/assemble.ts"
import { type AuditProgram, auditPrograms } from "./auditPrograms.ts"

interface Ran {
  readonly exitCode: number | "trap"
  readonly result: Uint8Array
  readonly out: readonly [stdout: string, stderr: string]
  readonly hashed: number
}

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super()
    this.code = code
  }
}

/** Runs a program with arguments (without its name) and an environment. */
const run = (name: AuditProgram, args: ReadonlyArray<string>, envs: ReadonlyArray<string> = []): Ran => {
  const ran = { result: new Uint8Array(), out: ["", "", ""], hashed: 0 }
  const bytes = (at: number, length: number): Uint8Array => new Uint8Array(memory().buffer, at, length)
  const view = (): DataView => new DataView(memory().buffer)
  const memory = (): WebAssembly.Memory => instance.exports["memory"] as WebAssembly.Memory
  const texts = (list: ReadonlyArray<string>) => ({
    sizes: (count: number, size: number): number => {
      view().setUint32(count, list.length, true)
      view().setUint32(
        size,
        list.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0),
        true
      )
      return 0
    },
    get: (pointers: number, buffer: number): number => {
      let at = buffer
      for (const [index, text] of list.entries()) {
        view().setUint32(pointers + 4 * index, at, true)
        const encoded = Buffer.from(`${text}\0`)
        bytes(at, encoded.length).set(encoded)
        at += encoded.length
      }
      return 0
    }
  })
  const argv = texts(["_start", ...args])
  const environ = texts(envs)
  const instance = new WebAssembly.Instance(new WebAssembly.Module(auditPrograms[name].slice()), {
    seda_v1: {
      execution_result: (at: number, length: number) => {
        ran.result = bytes(at, length).slice()
      },
      keccak256: () => {
        ran.hashed += 1
        return 32
      }
    },
    wasi_snapshot_preview1: {
      args_sizes_get: argv.sizes,
      args_get: argv.get,
      environ_sizes_get: environ.sizes,
      environ_get: environ.get,
      fd_write: (descriptor: number, iovec: number) => {
        const text = Buffer.from(bytes(view().getUint32(iovec, true), view().getUint32(iovec + 4, true))).toString()
        ran.out[descriptor] = `${ran.out[descriptor]}${text}`
        return 0
      },
      proc_exit: (code: number) => {
        throw new Exit(code)
      }
    }
  })
  const end = (exitCode: number | "trap"): Ran => {
    const [, stdout = "", stderr = ""] = ran.out
    return { ...ran, exitCode, out: [stdout, stderr] }
  }
  try {
    ;(instance.exports["_start"] as () => void)()
    return end(0)
  } catch (cause) {
    return end(cause instanceof Exit ? cause.code : "trap")
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const text = ({ result }: Ran): string => Buffer.from(result).toString()
const reveals = (reveal: Uint8Array): string =>
  `[{"reveal":[${reveal.join(",")}],"dr_id":"${"ab".repeat(32)}","dr_block_height":0,` +
  '"exit_code":0,"gas_used":7,"proxy_public_keys":[]}]'

describe("echo", () => {
  it("returns any inputs", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(hex(run("echo", [hex(bytes)]).result)).toBe(hex(bytes))
      })
    )
  })

  it("returns any reveal if the tally has no inputs, and the tally's inputs if it has", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 1, maxLength: 20 }), (revealed, inputs) => {
        expect(hex(run("echo", ["", reveals(revealed), "[0]"]).result)).toBe(hex(revealed))
        expect(hex(run("echo", [hex(inputs), reveals(revealed), "[0]"]).result)).toBe(hex(inputs))
      })
    )
  })

  it("has room for the largest inputs and the largest reveal", () => {
    const inputs = new Uint8Array(262_144).fill(0xab)
    const reveal = new Uint8Array(96_000).fill(0xcd)
    expect(hex(run("echo", [hex(inputs)]).result)).toBe(hex(inputs))
    expect(hex(run("echo", ["", reveals(reveal), "[0]"]).result)).toBe(hex(reveal))
    expect(hex(run("echo", [hex(inputs), reveals(reveal), "[0]"]).result)).toBe(hex(inputs))
  })
})

const tally = ["", reveals(Uint8Array.of(1)), "[0]"]

it.each([
  ["failing", [""], 3, "half done", "", "boom"],
  ["failingInTally", [""], 0, "revealed", "", ""],
  ["failingInTally", tally, 4, "revealed", "", "boom"],
  ["exitingOutOfRange", [""], 256, "", "", ""],
  ["trapping", [""], "trap", "before", "", ""],
  ["trappingInTally", [""], 0, "", "", ""],
  ["trappingInTally", tally, "trap", "", "", ""],
  ["printing", [""], 0, "", "exec out\n", "exec err\n"],
  ["printing", tally, 0, "", "tally out\n", "tally err\n"]
] as const)("%s with %j ends with %s", (name, args, exitCode, result, stdout, stderr) => {
  const ran = run(name, args)
  expect([ran.exitCode, text(ran), ...ran.out]).toEqual([exitCode, result, stdout, stderr])
})

it("gasHungry hashes fifty times, in the execution phase only", () => {
  expect(run("gasHungry", [""]).hashed).toBe(50)
  expect(run("gasHungry", tally).hashed).toBe(0)
})

it("environment returns its environment in order", () => {
  expect(text(run("environment", [""], ["B=2", "A=1", "EMPTY="]))).toBe("B=2\0A=1\0EMPTY=\0")
})

it("the assembler refuses unknown names and unterminated blocks", () => {
  for (const wrong of ["call nothing", "local.get x", "i64.nonsense", "br nowhere", "block open", "import fd_read"]) {
    expect(() => assemble(wrong)).toThrow(AssemblyFault)
  }
})
