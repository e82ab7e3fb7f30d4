/** What the phases receive and how their outcome becomes a signed result (decisions D22, D23, D26). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { bytesOf, testPublicKey } from "../testdata/vectors.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { withTestService, type TestService } from "../testdata/testService.ts"
import { fromUtf8, toHex } from "../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../domain/protocol/dataResultId.ts"
import { recoverSigner } from "../domain/protocol/resultSignature.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { Execution } from "./execution.ts"

const execute = (testService: TestService, fields?: Parameters<TestService["command"]>[0]) =>
  Effect.flatMap(Execution, (execution) => execution.execute(testService.command(fields)))

const refused = (testService: TestService, fields?: Parameters<TestService["command"]>[0]) => Effect.flip(execute(testService, fields))

const twoPhases: Script = ({ phase }) =>
  Effect.succeed(
    phase === "exec"
      ? outcome({ gasUsed: 24_235_163_456_250n, result: fromUtf8("revealed"), stdout: "e" })
      : outcome({ gasUsed: 10_703_371_275_000n, result: fromUtf8("tallied"), stderr: "t" })
  )

describe("both phases", () => {
  it.effect("run with the project's gas limits, their own program and the other's outcome", () => {
    const project = { gasLimits: { exec: 111n, tally: 222n }, limits: { stdoutBytes: 5 } }
    return withTestService({ script: twoPhases, project, options: { limits: { stdoutBytes: 9, stderrBytes: 8 } } }, (testService) =>
      Effect.gen(function* () {
        const key = { ...testService.command().key, execInputs: fromUtf8("in"), tallyInputs: fromUtf8("tin") }
        const { report } = yield* execute(testService, { key })
        const [exec, tally] = testService.requests
        const common = { projectId: testService.project.projectId, limits: { stdoutBytes: 5, stderrBytes: 8 } }
        expect(testService.requests).toHaveLength(2)
        expect(exec).toMatchObject({
          ...common,
          phase: "exec",
          programId: testService.execProgramId,
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
        expect(tally).toMatchObject({ ...common, phase: "tally", programId: testService.tallyProgramId, gasLimit: 222n })
        expect(tally?.program).toEqual(Uint8Array.of(2))
        expect(tally?.args[0]).toBe("74696e")
        expect(JSON.parse(tally?.args[1] ?? "")).toMatchObject([
          { reveal: [...fromUtf8("revealed")], exit_code: 0, gas_used: 24_235_163_456_250 }
        ])
        expect(tally?.args[2]).toBe("[0]")
      })
    )
  })

  it.effect("make one signed result: the tally's outcome, the sum of the gas", () =>
    withTestService({ script: twoPhases }, (testService) =>
      Effect.gen(function* () {
        const command = testService.command()
        const { report } = yield* Effect.flatMap(Execution, (execution) => execution.execute(command))
        expect(report).toMatchObject({ id: command.id, source: "rest", projectId: testService.project.projectId })
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

  it.effect("run one program in both phases if there is no tally program", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService, { key: { ...testService.command().key, tallyProgramId: testService.execProgramId } })
        expect(testService.requests.map(({ program }) => toHex(program))).toEqual(["01", "01"])
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
    it.effect(`of the ${at} phase are stored unchanged, and signed as a byte that is never 0 for a failure`, () =>
      Effect.forEach([1, 255, 256, 512, -1, 2 ** 31 - 1], (exitCode) =>
        withTestService({ script: failing(exitCode, at) }, (testService) =>
          Effect.gen(function* () {
            const { report } = yield* execute(testService)
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
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const runs = yield* Effect.all(
          Array.from({ length: 50 }, () => execute(testService)),
          { concurrency: 10 }
        )
        const stamps = runs.map(({ report }) => Number(report.dataResult.blockTimestamp))
        expect(stamps.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 50 }, (_, index) => index))
        const other = yield* execute(testService, { key: { ...testService.command().key, execInputs: Uint8Array.of(1) } })
        expect(other.report.dataResult.blockTimestamp).toBe(0n)
      })
    )
  )
})

describe("programs", () => {
  const unknown = "ff".repeat(32)

  it.effect("that are not deployed are not found, in either phase, and nothing is held", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const { key } = testService.command()
        for (const wanted of [
          { ...key, execProgramId: unknown },
          { ...key, tallyProgramId: unknown }
        ]) {
          const failure = yield* refused(testService, { key: wanted })
          expect(failure).toMatchObject({ _tag: "ProgramNotFound", status: 404, details: { programId: unknown } })
        }
        expect(testService.ledgerCalls).toEqual([])
        expect(testService.requests).toEqual([])
      })
    )
  )

  it.effect("outside the allow-list are refused before their existence is checked", () =>
    withTestService({ project: { allowedPrograms: ["aa".repeat(32)] } }, (testService) =>
      Effect.gen(function* () {
        const { key } = testService.command()
        for (const [wanted, named] of [
          [key, key.execProgramId],
          [{ ...key, execProgramId: unknown }, unknown],
          [{ ...key, execProgramId: "aa".repeat(32) }, key.tallyProgramId],
          [{ ...key, execProgramId: "aa".repeat(32), tallyProgramId: unknown }, unknown]
        ] as const) {
          const failure = yield* refused(testService, { key: wanted })
          expect(failure).toMatchObject({ _tag: "ProgramNotAllowed", status: 400, details: { programId: named } })
        }
        // On the list but not deployed: allowed, then not found.
        const both = { ...key, execProgramId: "aa".repeat(32), tallyProgramId: "aa".repeat(32) }
        expect(yield* refused(testService, { key: both })).toMatchObject({ _tag: "ProgramNotFound" })
      })
    )
  )

  it.effect("on the allow-list run", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const third = yield* (yield* ProgramStore).put(Uint8Array.of(3))
        const project = { ...testService.project, allowedPrograms: [third] }
        const key = { ...testService.command().key, execProgramId: third, tallyProgramId: third }
        expect(Either.isRight(yield* Effect.either(execute(testService, { project, key })))).toBe(true)
        expect(yield* refused(testService, { project })).toMatchObject({ _tag: "ProgramNotAllowed" })
      })
    )
  )
})
