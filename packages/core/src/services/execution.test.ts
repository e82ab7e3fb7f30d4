/** What phases are given and what becomes of their word, from request to signed result (decisions D22, D23, D26). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { bytesOf, testPublicKey } from "../testdata/vectors.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { inWorld, type World } from "../testdata/world.ts"
import { fromUtf8, toHex } from "../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../domain/protocol/dataResultId.ts"
import { recoverSigner } from "../domain/protocol/resultSignature.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { Execution } from "./execution.ts"

const execute = (world: World, fields?: Parameters<World["command"]>[0]) =>
  Effect.flatMap(Execution, (execution) => execution.execute(world.command(fields)))

const refused = (world: World, fields?: Parameters<World["command"]>[0]) => Effect.flip(execute(world, fields))

const twoPhases: Script = ({ phase }) =>
  Effect.succeed(
    phase === "exec"
      ? outcome({ gasUsed: 24_235_163_456_250n, result: fromUtf8("revealed"), stdout: "e" })
      : outcome({ gasUsed: 10_703_371_275_000n, result: fromUtf8("tallied"), stderr: "t" })
  )

describe("both phases", () => {
  it.effect("run with the project's gas limits, their own program and the other's outcome", () => {
    const project = { gasLimits: { exec: 111n, tally: 222n }, limits: { stdoutBytes: 5 } }
    return inWorld({ script: twoPhases, project, options: { limits: { stdoutBytes: 9, stderrBytes: 8 } } }, (world) =>
      Effect.gen(function* () {
        const key = { ...world.command().key, execInputs: fromUtf8("in"), tallyInputs: fromUtf8("tin") }
        const { report } = yield* execute(world, { key })
        const [exec, tally] = world.requests
        const common = { projectId: world.project.projectId, limits: { stdoutBytes: 5, stderrBytes: 8 } }
        expect(world.requests).toHaveLength(2)
        expect(exec).toMatchObject({
          ...common,
          phase: "exec",
          programId: world.execProgramId,
          gasLimit: 111n,
          args: ["696e"]
        })
        expect(exec?.program).toEqual(Uint8Array.of(1))
        expect(exec?.envs.map(([name]) => name).slice(-1)).toEqual(["CHAIN_ID"])
        expect(Object.fromEntries(exec?.envs ?? [])).toMatchObject({
          DR_ID: report.dataResult.drId,
          CHAIN_ID: "seda-1-testnet",
          DR_EXEC_GAS_LIMIT: "111",
          DR_HEIGHT: "0"
        })
        expect(tally).toMatchObject({ ...common, phase: "tally", programId: world.tallyProgramId, gasLimit: 222n })
        expect(tally?.program).toEqual(Uint8Array.of(2))
        expect(tally?.args[0]).toBe("74696e")
        expect(JSON.parse(tally?.args[1] ?? "")).toMatchObject([
          { reveal: [...fromUtf8("revealed")], exit_code: 0, gas_used: 24_235_163_456_250 }
        ])
        expect(tally?.args[2]).toBe("[0]")
      })
    )
  })

  it.effect("make one signed result: the tally's word, the sum of the gas", () =>
    inWorld({ script: twoPhases }, (world) =>
      Effect.gen(function* () {
        const command = world.command()
        const { report } = yield* Effect.flatMap(Execution, (execution) => execution.execute(command))
        expect(report).toMatchObject({ id: command.id, source: "rest", projectId: world.project.projectId })
        expect(report.dataRequest).toEqual({
          version: "0.0.1",
          ...command.key,
          execGasLimit: 300_000_000_000_000n,
          tallyGasLimit: 50_000_000_000_000n,
          replicationFactor: 1,
          consensusFilter: Uint8Array.of(0),
          gasPrice: 0n,
          memo: new Uint8Array()
        })
        expect(report.dataResult).toMatchObject({
          drId: dataRequestIdOf(report.dataRequest),
          exitCode: 0,
          consensus: true,
          gasUsed: 34_938_534_731_250n,
          blockHeight: 0n
        })
        expect(report.dataResult.result).toEqual(fromUtf8("tallied"))
        expect(report.execute).toMatchObject({ stdout: "e", stderr: "", result: fromUtf8("revealed") })
        expect(report.tally).toMatchObject({ stdout: "", stderr: "t", result: fromUtf8("tallied") })
        expect(recoverSigner(dataResultIdOf(report.dataResult), bytesOf(report.signature))).toBe(testPublicKey)
      })
    )
  )

  it.effect("run one program twice when there is no other", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* execute(world, { key: { ...world.command().key, tallyProgramId: world.execProgramId } })
        expect(world.requests.map(({ program }) => toHex(program))).toEqual(["01", "01"])
      })
    )
  )
})

describe("exit codes", () => {
  const failing =
    (exitCode: number, at: "exec" | "tally"): Script =>
    ({ phase }) =>
      Effect.succeed(outcome({ exitCode: phase === at ? exitCode : 0, result: fromUtf8(phase) }))

  for (const at of ["exec", "tally"] as const) {
    it.effect(`of the ${at} phase are kept raw, and signed as a byte that is never 0 for a failure`, () =>
      Effect.forEach([1, 255, 256, 512, -1, 2 ** 31 - 1], (exitCode) =>
        inWorld({ script: failing(exitCode, at) }, (world) =>
          Effect.gen(function* () {
            const { report } = yield* execute(world)
            expect((at === "exec" ? report.execute : report.tally)?.exitCode).toBe(exitCode)
            expect(report.dataResult.exitCode).toBe(exitCode === 1 ? 1 : 255)
            expect(report.dataResult.result).toEqual(fromUtf8(at))
            expect(report.dataResult.consensus).toBe(true)
            expect(recoverSigner(dataResultIdOf(report.dataResult), bytesOf(report.signature))).toBe(testPublicKey)
          })
        )
      )
    )
  }
})

describe("timestamps", () => {
  it.effect("strictly increase for one request although the clock stands still, and also under load", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        const runs = yield* Effect.all(
          Array.from({ length: 50 }, () => execute(world)),
          { concurrency: 10 }
        )
        const stamps = runs.map(({ report }) => Number(report.dataResult.blockTimestamp))
        expect(stamps.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 50 }, (_, index) => index))
        const other = yield* execute(world, { key: { ...world.command().key, execInputs: Uint8Array.of(1) } })
        expect(other.report.dataResult.blockTimestamp).toBe(0n)
      })
    )
  )
})

describe("programs", () => {
  const unknown = "ff".repeat(32)

  it.effect("that are not deployed are not found, either of them, and nothing is held", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        const { key } = world.command()
        for (const wanted of [
          { ...key, execProgramId: unknown },
          { ...key, tallyProgramId: unknown }
        ]) {
          const failure = yield* refused(world, { key: wanted })
          expect(failure).toMatchObject({ _tag: "ProgramNotFound", status: 404, details: { programId: unknown } })
        }
        expect(world.ledgerCalls).toEqual([])
        expect(world.requests).toEqual([])
      })
    )
  )

  it.effect("outside the allow-list are refused before anyone looks whether they exist", () =>
    inWorld({ project: { allowedPrograms: ["aa".repeat(32)] } }, (world) =>
      Effect.gen(function* () {
        const { key } = world.command()
        for (const [wanted, named] of [
          [key, key.execProgramId],
          [{ ...key, execProgramId: unknown }, unknown],
          [{ ...key, execProgramId: "aa".repeat(32) }, key.tallyProgramId],
          [{ ...key, execProgramId: "aa".repeat(32), tallyProgramId: unknown }, unknown]
        ] as const) {
          const failure = yield* refused(world, { key: wanted })
          expect(failure).toMatchObject({ _tag: "ProgramNotAllowed", status: 400, details: { programId: named } })
        }
        // On the list but not deployed: allowed, then not found.
        const both = { ...key, execProgramId: "aa".repeat(32), tallyProgramId: "aa".repeat(32) }
        expect(yield* refused(world, { key: both })).toMatchObject({ _tag: "ProgramNotFound" })
      })
    )
  )

  it.effect("on the allow-list run", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        const third = yield* (yield* ProgramStore).put(Uint8Array.of(3))
        const project = { ...world.project, allowedPrograms: [third] }
        const key = { ...world.command().key, execProgramId: third, tallyProgramId: third }
        expect(Either.isRight(yield* Effect.either(execute(world, { project, key })))).toBe(true)
        expect(yield* refused(world, { project })).toMatchObject({ _tag: "ProgramNotAllowed" })
      })
    )
  )
})
