/** The parts of the guest SDK that the example programs do not use, through a probe program. */
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { buildTimeoutMs } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { type Probe, probeWith, text } from "./testdata/probe.ts"
import { sdkProbe } from "./testdata/sdkProbe.ts"

let probe: Probe
beforeAll(async () => {
  probe = probeWith(new WebAssembly.Module(await compileProgram(sdkProbe)))
}, buildTimeoutMs)

describe("crypto", () => {
  test("keccak256 is Keccak-256", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(toHex(probe("keccak", bytes).result)).toBe(toHex(keccak_256(bytes)))
      }),
      { numRuns: 30 }
    )
  })

  test("secp256k1Verify distinguishes a key's signature from another's", () => {
    const secret = keccak_256(fromUtf8("a test key"))
    const message = fromUtf8("price: 1")
    const signature = secp256k1.sign(keccak_256(message), secret, { prehash: false })
    const key = secp256k1.getPublicKey(secret)
    const otherKey = secp256k1.getPublicKey(keccak_256(secret))
    expect(text(probe("verify", Uint8Array.from([...signature, ...key, ...message])))).toBe("yes")
    expect(text(probe("verify", Uint8Array.from([...signature, ...otherKey, ...message])))).toBe("no")
    expect(text(probe("verify", Uint8Array.from([...signature, ...key, ...message, 0])))).toBe("no")
  })
})

describe("requests", () => {
  test("send method, headers, body and time-out, and return the complete response", () => {
    const body = Uint8Array.of(0, 9, 10, 99, 100, 255)
    const outcome = probe("post", body, { answer: () => ({ status: 201, body: "fine é" }) })
    expect(text(outcome)).toBe('201 https://a.test/?q="\t application/json fine é')
    expect(outcome.actions).toEqual([
      {
        url: 'https://a.test/?q="\t',
        options: {
          method: "POST",
          headers: { "X-A": 'a"\\\né', b: "2" },
          body: [...body],
          timeout_ms: 1500
        }
      }
    ])
  })

  test("transfer any bytes in both directions", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const outcome = probe("echo", bytes, {
          answer: ({ options }) => ({ status: 200, body: Uint8Array.from(options.body ?? []) })
        })
        expect(outcome.actions[0]?.options.body).toEqual([...bytes])
        expect(toHex(outcome.result)).toBe(toHex(bytes))
      }),
      { numRuns: 30 }
    )
  })

  test("go through a data proxy with or without its key", () => {
    const outcome = probe("proxy", "", {
      answer: ({ public_key }) => (public_key === "02ab" ? { status: 200, body: "signed" } : "no fee is known")
    })
    expect(text(outcome)).toBe("ok signed, failed no fee is known")
    expect(outcome.actions.map(({ public_key }) => public_key)).toEqual(["02ab", null])
  })

  test("are rejected in the tally phase, not trapped", () => {
    expect(text(probe("proxy", "", { phase: "tally" }))).toBe(
      "failed proxy_http_fetch is not allowed in tally, failed proxy_http_fetch is not allowed in tally"
    )
  })
})

describe("output and endings", () => {
  test("log writes text unchanged, and only valid UTF-8", () => {
    expect(probe("log")).toMatchObject({ exitCode: 0, stdout: "first\nsécond\ufffd\n", stderr: "" })
  })

  test("exit ends with its code, fail with one line of bounded length", () => {
    expect(probe("exit")).toMatchObject({ exitCode: 7, trap: undefined, stdout: "", stderr: "" })
    expect(probe("long")).toMatchObject({ exitCode: 1, trap: undefined, stderr: `${"x".repeat(400)}\n` })
  })

  test("an abort is a line and exit code 1, never a trap", () => {
    const outcome = probe("abort", "ab")
    expect(outcome).toMatchObject({ exitCode: 1, trap: undefined, stdout: "" })
    expect(outcome.stderr).toMatch(/^Index out of range at ~lib\/typedarray\.ts:[0-9]+:[0-9]+\n$/)
  })
})

describe("host information", () => {
  test("environment, clock and random bytes", () => {
    const envs = { KEY: "a=b c", KEYS: "x", EMPTY: "" }
    expect(text(probe("env", "", { envs }))).toBe("absent a=b c  exec")
    expect(text(probe("env", "", { envs, phase: "tally" }))).toBe("absent a=b c  tally")
    expect(text(probe("clock", "", { clockMs: 1_763_640_000_123 }))).toBe("1763640000123")
    expect(toHex(probe("random").result)).toBe("0404040404")
  })

  test("the tally phase has no clock and no random bytes", () => {
    expect(probe("clock", "", { phase: "tally" }).trap).toContain('"clock_time_get" is not implemented in tally mode')
    expect(probe("random", "", { phase: "tally" }).trap).toContain('"random_get" is not implemented in tally mode')
  })
})

describe("values", () => {
  test("JSON strings keep every character", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (value) => {
        expect(text(probe("text", JSON.stringify({ text: value })))).toBe(value)
        const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, "0"))
        const escaped = units.map((unit) => `\\u${unit}`).join("")
        expect(text(probe("text", `{"text":"${escaped}"}`))).toBe(value)
      }),
      { numRuns: 50 }
    )
  })

  test.each([
    ["[]", ""],
    ["[1,2]", "4i 4i "],
    ['[1,-2, 3.5,1e3,"a",null,true,false,{},[]]', "4i 4i 4 4 5 1 3 2 7 6 "],
    ["[999999999999999999,1000000000000000000]", "4i 4 "]
  ])("elements of %s", (list, kinds) => expect(text(probe("text", `{"list":${list}}`))).toBe(kinds))

  test.each([
    ["[]", "[]"],
    ["[ ]", "[]"],
    ["[0,10,255]", "[0,10,255]"],
    ["[ 0, 10,255 ]", "[0,10,255]"],
    ["[256]", "none"],
    ["[-1]", "none"],
    ["[1.5]", "none"],
    ['["1"]', "none"],
    ["{}", "none"],
    ["null", "none"],
    ['"abc"', "none"]
  ])("bytes of %s", (list, bytes) => expect(text(probe("bytes", `{"bytes":${list}}`))).toBe(bytes))

  test.each([
    ["{}", "no"],
    ['{"a":{"b":{"c":null}}}', "yes"],
    ['{"a":{"b":1}}', "no"],
    ['{"a":[{"b":{"c":1}}]}', "no"],
    ['{"a":1,"a":{"b":{"c":1}}}', "yes"],
    ['{"a":{"b":{"c":1}},"a":1}', "no"]
  ])("members of %s", (json, found) => expect(text(probe("deep", json))).toBe(found))

  test.each([
    ["12.345", "12.34"],
    ["12.355", "12.36"],
    ["1e2", "100"],
    ["1E+2", "100"],
    ["125e-3", "0.12"],
    ["0.005", "0"],
    ["0.0050000000000000000001", "0.01"],
    ["-7.5", "7.5"],
    ["1e75", `1${"0".repeat(75)}`],
    ["1e76", "none"],
    ["1e999999999", "none"],
    ["1e-999999999", "0"],
    ["1e1000000000", "none"],
    ["0e999999999", "0"]
  ])("the decimal %s to two places", (value, printed) => {
    expect(text(probe("decimal", `{"value":${value}}`))).toBe(printed)
  })

  test("integers are printed without fractions", () => {
    expect(text(probe("integers"))).toBe("-9223372036854775808 0 9223372036854775807")
  })
})
