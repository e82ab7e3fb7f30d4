/** The golden cases of both phases, and how each is run: input, recorded answers, expectation. */
import { readFileSync } from "node:fs"
import { defaultLimits, type Limits, type Phase } from "@sibyl/core"
import { fromBase64, fromHex } from "@sibyl/core/internal"
import type { Ending } from "../pass/ending.ts"
import type { FetchAnswer, HostCall, Tape, TapeEntry } from "../tape/tape.ts"

/** The expectation of a case, in one form for both phases. Undefined members are not compared. */
export interface Expectation {
  readonly exitCode: number
  readonly exitMessage?: string
  readonly exitMessagePrefix?: string
  readonly gasUsed: string
  readonly stdout?: ReadonlyArray<string> | string
  readonly stderr?: ReadonlyArray<string> | string
  readonly stderrNote?: string
  readonly resultHex?: string | null
  readonly resultLen?: number
}

/** One case, ready to run. */
export interface VectorCase {
  readonly name: string
  readonly phase: Phase
  readonly program: Uint8Array
  readonly args: ReadonlyArray<string>
  readonly envs: ReadonlyArray<readonly [string, string]>
  readonly gasLimit: bigint
  readonly limits: Limits
  readonly expect: Expectation
  /** The actions that a data request's case must have asked for, in order. */
  readonly actions: ReadonlyArray<unknown>
  /** The answer to a call of this case. */
  readonly answer: (call: HostCall) => TapeEntry
}

interface RawCase {
  readonly name: string
  readonly wasm: { readonly wat?: string; readonly hex?: string }
  readonly args: ReadonlyArray<string>
  readonly envs: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
  readonly limits?: { readonly stdout: number; readonly stderr: number; readonly result: number }
  readonly gasLimit?: string
  readonly http?: string
  readonly proxyGas?: string
  readonly actions?: ReadonlyArray<unknown>
  readonly expect: Expectation
}

interface TallyFile {
  readonly cases: ReadonlyArray<RawCase>
  readonly modules: Readonly<Record<string, string>>
}

const load = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"))

const tallyFile = load("./vm-tally.json") as TallyFile
const execFile = load("./vm-exec.json") as ReadonlyArray<RawCase>

/** The time at which every case starts, in ms. */
export const vectorTimeMs = 1_700_000_000_123

/** An empty tape. */
export const emptyTape: Tape = { startTimeMs: vectorTimeMs, seed: new Uint8Array(32), entries: [] }

/** A module of the golden data by its name, without folder and extension. */
export const moduleNamed = (name: string): Uint8Array => {
  const bytes = fromBase64(tallyFile.modules[`wat/${name}.wat`] ?? "")
  if (bytes === undefined || bytes.length === 0) throw new Error(`no module ${name}`)
  return bytes
}

/** The names of all modules. */
export const moduleNames = Object.keys(tallyFile.modules).map((path) => path.slice("wat/".length, -".wat".length))

const programOf = ({ wasm }: RawCase): Uint8Array =>
  wasm.wat === undefined ? (fromHex(wasm.hex ?? "") ?? new Uint8Array()) : moduleNamed(wasm.wat.slice("wat/".length, -".wat".length))

const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ok: [200, "hello"],
  "not-found": [404, "missing"],
  rejected: [0, "nope"]
}

const fetchAnswer = ({ http, name }: RawCase): FetchAnswer => {
  const answer = answers[http ?? ""]
  if (answer === undefined) throw new Error(`${name} makes a request it has no answer for`)
  const [status, text] = answer
  const bytes = new TextEncoder().encode(text)
  const headers = [["content-type", "text/plain"]] as const
  return { fulfilled: status !== 0, status, headers, bytes, url: "http://localhost/", contentLength: bytes.length }
}

const entryFor = (raw: RawCase, call: HostCall): TapeEntry => {
  const { action, kind } = call
  if (kind === "storage") throw new Error(`${raw.name} uses storage`)
  if (kind !== "proxyPrice") return { kind, action, atMs: vectorTimeMs, answer: fetchAnswer(raw) }
  return {
    kind,
    action,
    atMs: vectorTimeMs,
    answer:
      raw.proxyGas === "err"
        ? { known: false, message: "no price" }
        : { known: true, gas: BigInt(raw.proxyGas ?? ""), publicKey: "02aa", feeCredits: 3n }
  }
}

/** Minutes of wall clock: what is specified is the gas. On Bun, a new memory may first collect all garbage of the tests before. */
const patientLimits: Limits = { ...defaultLimits, execWallClockMs: 120_000, tallyWallClockMs: 120_000 }

const caseOf =
  (phase: Phase) =>
  (raw: RawCase): VectorCase => ({
    name: raw.name,
    phase,
    program: programOf(raw),
    args: raw.args,
    envs: Array.isArray(raw.envs) ? (raw.envs as ReadonlyArray<readonly [string, string]>) : Object.entries(raw.envs),
    // A tally's limit is in its environment.
    gasLimit: phase === "tally" ? 2n ** 64n - 1n : BigInt(raw.gasLimit ?? ""),
    limits:
      raw.limits === undefined
        ? patientLimits
        : {
            ...patientLimits,
            stdoutBytes: raw.limits.stdout,
            stderrBytes: raw.limits.stderr,
            resultBytes: raw.limits.result
          },
    expect: raw.expect,
    actions: raw.actions ?? [],
    answer: (call) => entryFor(raw, call)
  })

/** All cases of the tally phase. */
export const tallyVectors = tallyFile.cases.map(caseOf("tally"))

/** All cases of the execution phase. */
export const execVectors = execFile.map(caseOf("exec"))

/** The parts of an ending that the case specifies, in the case's own form, to be compared with its expectation. */
export const asExpected = (ending: Ending, vector: VectorCase): Expectation => {
  const { expect } = vector
  const texts = (list: ReadonlyArray<string>): ReadonlyArray<string> | string => (vector.phase === "tally" ? list : list.join(""))
  return {
    exitCode: ending.exitCode,
    gasUsed: String(ending.gasUsed),
    ...(expect.exitMessage === undefined ? {} : { exitMessage: ending.exitMessage }),
    ...(expect.exitMessagePrefix === undefined ? {} : { exitMessagePrefix: ending.exitMessage.slice(0, expect.exitMessagePrefix.length) }),
    ...(expect.stdout === undefined ? {} : { stdout: texts(ending.stdout) }),
    ...(expect.stderr === undefined ? {} : { stderr: texts(ending.stderr) }),
    ...(expect.stderrNote === undefined
      ? {}
      : {
          stderrNote: ending.stderr.join("").includes(expect.stderrNote) ? expect.stderrNote : ending.stderr.join("")
        }),
    ...(expect.resultHex === undefined
      ? {}
      : { resultHex: ending.result === undefined ? null : Buffer.from(ending.result).toString("hex") }),
    ...(expect.resultLen === undefined ? {} : { resultLen: ending.resultLength })
  }
}
