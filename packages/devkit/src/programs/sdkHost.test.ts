/** The typed parts of the guest SDK, through a probe program: fields, decimals, logs, the request, storage, signatures. */
import { fromUtf8, toBase64, toHex } from "@sibyl/core/internal"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { checkProgram } from "@sibyl/vm"
import { Either } from "effect"
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { type Probe, probeWith, text } from "./testdata/probe.ts"
import { sdkProbe } from "./testdata/sdkProbe.ts"
import { storageProbe } from "./testdata/storageProbe.ts"

let probe: Probe
let storingBytes: Uint8Array<ArrayBuffer>
let storing: WebAssembly.Module
beforeAll(async () => {
  probe = probeWith(new WebAssembly.Module(await compileProgram(sdkProbe)))
  storingBytes = await compileProgram(storageProbe)
  storing = new WebAssembly.Module(storingBytes)
}, buildTimeoutMs)

describe("fields", () => {
  test("read every type, and a JSON object writes it again", () => {
    const inputs = {
      text: 'a\u0007"é\u{1F600}',
      integer: -12,
      decimal: 0.1,
      flag: false,
      list: [1, "a"],
      inner: { percentage: 12.5 }
    }
    const written = text(probe("fields", JSON.stringify(inputs)))
    expect(JSON.parse(written)).toEqual({
      text: inputs.text,
      or: 'é"',
      integer: -12,
      integerOr: -7,
      decimal: 0.1,
      flag: false,
      flagOr: true,
      length: 2,
      has: false,
      names: ["a", "inner.b", "inner.c[2]"],
      inner: { percentage: 12.5 },
      empty: []
    })
    expect(written).not.toMatch(/\s/)
  })

  const notPercentage = "object.x is not a number from 0 to 100 with at most 36 decimal places"
  test.each<[string, string, string]>([
    ["text", "1", "object.x is not a text"],
    ["integer", "1.0", "object.x is not an integer"],
    ["integer", "null", "object.x is not an integer"],
    ["decimal", '"1"', "object.x is not a number"],
    ["decimal", "9".repeat(78), "object.x has too many digits"],
    ["flag", "0", "object.x is not a boolean"],
    ["list", "{}", "object.x is not a list"],
    ["fields", "[]", "object.x is not an object"],
    ...["-0.1", "100.1", "101", "1e3", "1e999999999", '"5"', "null", `0.${"0".repeat(36)}1`, "1e-999999999"].map(
      (value): [string, string, string] => ["percentage", value, notPercentage]
    )
  ])("refuse as %s: %s", (kind, value, line) => {
    expect(probe("take", `{"object":{"x":${value}}}`, { envs: { KIND: kind } })).toMatchObject({
      exitCode: 1,
      trap: undefined,
      stderr: `${line}\n`
    })
  })

  test.each(["text", "integer", "decimal", "flag", "list", "fields", "percentage"])("refuse no %s", (kind) => {
    const envs = { KIND: kind }
    expect(probe("take", '{"object":{}}', { envs })).toMatchObject({ stderr: "object.x is missing\n" })
    expect(probe("take", "{}", { envs })).toMatchObject({ stderr: "object is missing\n" })
  })

  test.each(["0", "-0", "100", "100.00", "1e2", "0.5", `0.${"0".repeat(35)}1`, "99.999999999999999999", "0e999999999"])(
    "take the percentage %s",
    (value) => expect(probe("take", `{"object":{"x":${value}}}`, { envs: { KIND: "percentage" } }).exitCode).toBe(0)
  )
})

/** An integer times 10^exponent as plain digits, computed with BigInt and text. */
const plain = (mantissa: bigint, exponent: number): string => {
  const digits = (mantissa < 0n ? -mantissa : mantissa).toString()
  const padded = exponent >= 0 ? digits + "0".repeat(exponent) : digits.padStart(1 - exponent, "0")
  const point = exponent >= 0 ? padded.length : padded.length + exponent
  const fraction = padded.slice(point).replace(/0+$/, "")
  const whole = padded.slice(0, point).replace(/^0+(?=[0-9])/, "")
  return (mantissa < 0n ? "-" : "") + whole + (fraction === "" ? "" : `.${fraction}`)
}

describe("decimals", () => {
  test("add, subtract and multiply exactly, or fail", () => {
    const number = fc.record({
      mantissa: fc.oneof(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.bigInt(-(2n ** 256n) + 1n, 2n ** 256n - 1n)),
      exponent: fc.integer({ min: -30, max: 12 })
    })
    fc.assert(
      fc.property(number, number, (a, b) => {
        const written = ({ mantissa, exponent }: typeof a) => `${mantissa}e${exponent}`
        const outcome = probe("arithmetic", `{"a":${written(a)},"b":${written(b)}}`)
        const [sum, difference, product, same] = (JSON.parse(text(outcome)) as { results: Array<string> }).results

        const low = Math.min(a.exponent, b.exponent)
        const aligned = ({ mantissa, exponent }: typeof a) => mantissa * 10n ** BigInt(exponent - low)
        const fits = (value: bigint) => -(2n ** 256n) < value && value < 2n ** 256n
        const exact = (value: bigint, exponent: number, ...needed: ReadonlyArray<bigint>) =>
          [value, ...needed].every(fits) ? plain(value, exponent) : "none"
        const operands = a.mantissa === 0n || b.mantissa === 0n ? [] : [aligned(a), aligned(b)]
        expect(same).toBe(plain(a.mantissa, a.exponent))
        if (operands.length === 0) {
          expect(product).toBe("0")
        } else {
          expect(sum).toBe(exact(aligned(a) + aligned(b), low, ...operands))
          expect(difference).toBe(exact(aligned(a) - aligned(b), low, ...operands))
          expect(product).toBe(exact(a.mantissa * b.mantissa, a.exponent + b.exponent))
        }
      }),
      { numRuns: 300 }
    )
  })

  test.each([
    ["0", "1.50", ["1.5", "-1.5", "0", "0"]],
    ["2", "0", ["2", "2", "0", "2"]],
    ["0", "0", ["0", "0", "0", "0"]]
  ])("%s and %s", (a, b, results) => expect(JSON.parse(text(probe("arithmetic", `{"a":${a},"b":${b}}`)))).toEqual({ results }))

  test("a uint256 result is 32 big-endian bytes", () => {
    expect(toHex(probe("uint256").result)).toBe("0102".padStart(64, "0"))
  })

  test("seconds as ISO 8601 equal what JavaScript prints", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(text(probe("time", JSON.stringify({ seconds })))).toBe(new Date(seconds * 1000).toISOString())
      }),
      { numRuns: 300 }
    )
    const days = ["1970-01-01", "1972-02-29", "1999-12-31", "2000-02-29", "2000-03-01", "2100-02-28", "9999-12-31"]
    for (const day of days) {
      const seconds = Date.parse(`${day}T23:59:59Z`) / 1000
      expect(text(probe("time", JSON.stringify({ seconds })))).toBe(`${day}T23:59:59.000Z`)
    }
  })
})

describe("host information", () => {
  test("log lines have a level, one line each", () => {
    expect(probe("levels")).toMatchObject({
      exitCode: 0,
      stdout: "info  one two\ndebug five\n",
      stderr: "warn  three\nerror four\n"
    })
    expect(probe("levels").calls["fd_write"]).toBe(4)
  })

  test("the last result", () => {
    const envs = { LAST_RESULT: "00ff", LAST_RESULT_EXIT_CODE: "3", LAST_RESULT_TIMESTAMP: "1763640000123" }
    expect(text(probe("last", "", { envs }))).toBe("00ff 3 1763640000123")
    expect(text(probe("last"))).toBe("none")
    expect(probe("last", "", { envs: { ...envs, LAST_RESULT: "0" } })).toMatchObject({
      exitCode: 1,
      stderr: "the host's last result is malformed\n"
    })
  })

  test("the request, in the form of each phase", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (own, other) => {
        const both = {
          DR_ID: "ab",
          EXEC_PROGRAM_ID: "cd",
          TALLY_PROGRAM_ID: "ef",
          DR_REPLICATION_FACTOR: "3",
          DR_TALLY_GAS_LIMIT: "50000000000000",
          DR_GAS_PRICE: "2000",
          DR_PAYBACK_ADDRESS: ""
        }
        const told = {
          drId: "ab",
          exec: "cd",
          tally: "ef",
          replicationFactor: 3,
          height: 9,
          execGas: 300_000_000_000_000,
          tallyGas: 50_000_000_000_000,
          gasPrice: "2000",
          memo: toHex(other),
          payback: ""
        }
        const executing = {
          ...both,
          DR_HEIGHT: "9",
          DR_EXEC_GAS_LIMIT: "300000000000000",
          DR_MEMO: toHex(other),
          TALLY_INPUTS: toHex(other),
          CHAIN_ID: "chain-1"
        }
        const tallying = {
          ...both,
          BLOCK_HEIGHT: "9",
          EXEC_GAS_LIMIT: "300000000000000",
          DR_MEMO: toBase64(other),
          EXEC_INPUTS: toBase64(other),
          TALLY_INPUTS: toBase64(own),
          CONSENSUS: "true"
        }
        expect(JSON.parse(text(probe("request", own, { envs: executing })))).toEqual({
          ...told,
          chain: "chain-1",
          execInputs: toHex(own),
          tallyInputs: toHex(other),
          consensus: "unknown"
        })
        expect(JSON.parse(text(probe("request", own, { envs: tallying, phase: "tally" })))).toEqual({
          ...told,
          chain: "none",
          execInputs: toHex(other),
          tallyInputs: toHex(own),
          consensus: "yes"
        })
      }),
      { numRuns: 30 }
    )
    expect(probe("request")).toMatchObject({ exitCode: 1, stderr: "the host does not set DR_ID\n" })
  })
})

describe("storage", () => {
  const run = (storage: Map<string, string> | undefined, inputs = "") =>
    runBare(storing, { phase: "dr", args: [toHex(fromUtf8(inputs))], ...(storage === undefined ? {} : { storage }) })

  test("is read, written and deleted", () => {
    const storage = new Map<string, string>()
    expect([run(storage), run(storage), run(storage)].map(text)).toEqual(["0", "1", "2"])
    expect([...storage]).toEqual([[toHex(fromUtf8("runs")), "03"]])
    expect(text(run(storage, '{"forget":true}'))).toBe("3")
    expect(storage.size).toBe(0)
  })

  test("makes a program that cannot be a tally program", () => {
    expect(checkProgram(storingBytes, "exec")).toEqual(Either.void)
    expect(Either.isLeft(checkProgram(storingBytes, "tally"))).toBe(true)
  })

  test("ends the program with the host's reason when it is refused", () => {
    expect(run(undefined)).toMatchObject({ exitCode: 1, trap: undefined, stderr: "storage: storage is not enabled\n" })
  })
})

describe("a data proxy's signature", () => {
  const secret = keccak_256(fromUtf8("a proxy"))
  const publicKey = toHex(secp256k1.getPublicKey(secret))
  const hash = (value: string) => keccak_256(fromUtf8(value))
  const message = Uint8Array.from(["https://proxy.test/a?b", "POST", "asked", "told"].flatMap((part) => [...hash(part)]))
  const signature = toHex(secp256k1.sign(keccak_256(message), secret, { prehash: false }))
  const verdict = (body: string, key: string, header = signature) =>
    text(
      probe("signed", "asked", {
        envs: { KEY: key },
        answer: () => ({ status: 200, body, headers: { "x-seda-signature": header } })
      })
    )

  test("is valid over the request and the answer, and nothing else", () => {
    expect(verdict("told", publicKey)).toBe("yes")
    expect(verdict("tolb", publicKey)).toBe("no")
    expect(verdict("told", toHex(secp256k1.getPublicKey(message.slice(0, 32))))).toBe("no")
    for (const broken of ["", "0", signature.slice(2), `${signature}00`, "zz".repeat(64)]) {
      expect(verdict("told", publicKey, broken)).toBe("no")
    }
    for (const broken of ["", "02", publicKey.slice(2), `05${publicKey.slice(2)}`, "no"]) {
      expect(verdict("told", broken)).toBe("no")
    }
  })
})
