/** Recordings over REST: kept when asked for, or always; the project's own; refused where there is none. */
import { Effect, Either, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { type Recording, readRecording } from "../../domain/recordings/recording.ts"
import { comparisonOf, execPhasesOf, tallyPhaseOf } from "../../domain/recordings/replayedRun.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { testPublicKey } from "../../testdata/vectors.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../../testdata/testService.ts"

const opened: Array<OpenTestService> = []

/** Phases with tapes where they are to be recorded; the execution phase says which executor's it was. */
const scripted = (): Script => {
  let executed = 0
  return ({ isRecorded, phase }) => {
    const number = phase === "exec" ? (executed += 1) : 0
    const tape = JSON.stringify({ startTimeMs: number, seed: "", entries: [] })
    return Effect.succeed(outcome({ gasUsed: phase === "exec" ? 7n : 3n, stdout: "said", ...(isRecorded === true ? { tape } : {}) }))
  }
}

const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const testService = await openTestService({ script: scripted(), ...setup })
  opened.push(testService)
  return testService
}

afterEach(() => Promise.all(opened.splice(0).map(({ service }) => service.dispose())))

const ask = async ({ key, service }: OpenTestService, path: string, bearer = key) => {
  const response = await service.fetch(seamRequest("GET", path, { headers: { authorization: `Bearer ${bearer}` } }))
  const body = String(response?.body)
  return { status: response?.status, body, json: JSON.parse(body) as Record<string, unknown> }
}

const run = async (testService: OpenTestService, query = "") => {
  const { execProgramId, tallyProgramId } = testService
  const { json } = await ask(
    testService,
    `/execute?execProgramId=${execProgramId}&tallyProgramId=${tallyProgramId}&execInputs=0x0102${query}`
  )
  return json["data"] as { readonly id: string; readonly recording?: unknown }
}

const recordingOf = async (testService: OpenTestService, id: string): Promise<Recording> => {
  const { body, status } = await ask(testService, `/executions/${id}/recording`)
  expect(status).toBe(200)
  return Either.getOrThrowWith(readRecording(body), ({ message, part }) => new Error(`${part}: ${message}`))
}

describe("GET /executions/{id}/recording", () => {
  it.each([
    ["two orders", false],
    ["one order", true]
  ])("gives a run that was to be recorded, in %s, with everything that decided it", async (_name, inOneOrder) => {
    const testService = await open({ inOneOrder })
    const { execProgramId, tallyProgramId } = testService
    const { id, recording: kept } = await run(testService, "&includeRecording=true")
    expect(kept).toEqual({ kept: true, bytes: 2 * '{"startTimeMs":1,"seed":"","entries":[]}'.length })
    const recording = await recordingOf(testService, id)
    expect(recording).toMatchObject({
      run: { id, server: "0.1.0", signer: expect.stringMatching(/^0[23][0-9a-f]{64}$/) },
      execute: { exitCode: 0, gasUsed: 7n, stdout: "said" },
      tally: { exitCode: 0, gasUsed: 3n },
      source: { chainId: "seda-1-testnet", execHeight: 0n, tallyHeight: 0n, lastResult: null },
      execTapes: ['{"startTimeMs":1,"seed":"","entries":[]}'],
      attestation: { signer: testPublicKey, signedAtMs: expect.any(Number) }
    })
    expect(Object.keys(recording.programs).toSorted()).toEqual([execProgramId, tallyProgramId].toSorted())
    const again = outcome({ gasUsed: 7n, stdout: "said" })
    const tally = tallyPhaseOf(recording, [again])
    expect(execPhasesOf(recording)).toMatchObject([
      { phase: "exec", programId: execProgramId, args: ["0102"], tape: recording.execTapes[0] }
    ])
    expect(tally).toMatchObject({ consensus: true, run: { phase: "tally", programId: tallyProgramId, tape: recording.tallyTape } })
    const values = comparisonOf(recording, [again], { consensus: true, phase: outcome({ gasUsed: 3n, stdout: "said" }) })
    expect(values.filter(({ isSame }) => !isSame)).toEqual([])
    const other = comparisonOf(recording, [again], { consensus: true, phase: outcome({ gasUsed: 4n, stdout: "said" }) })
    expect(other.filter(({ isSame }) => !isSame).map(({ name }) => name)).toEqual(["tally.gasUsed", "gasUsed", "resultId", "signer"])
  })

  it("has the tape of each executor, and the last result that the program was given", async () => {
    const testService = await open({ options: { replicationFactor: 3 } })
    const first = await run(testService, "&includeRecording=true")
    expect(
      (await recordingOf(testService, first.id)).execTapes.map((tape) => (JSON.parse(tape) as { startTimeMs: number }).startTimeMs)
    ).toEqual([1, 2, 3])
    const second = await run(testService, "&includeRecording=1&injectLastResult=success")
    const { source } = await recordingOf(testService, second.id)
    expect(source.lastResult).toMatchObject({ exitCode: 0, result: new Uint8Array() })
    const [exec] = execPhasesOf(await recordingOf(testService, second.id))
    expect(exec?.envs).toContainEqual(["LAST_RESULT_TIMESTAMP", String(source.lastResult?.blockTimestamp)])
  })

  it("records every run where the service says so, and shows it only to those who ask", async () => {
    const testService = await open({ options: { keepRecordings: true } })
    const { id, ...answer } = await run(testService)
    expect(answer).not.toHaveProperty("recording")
    expect((await recordingOf(testService, id)).run.id).toBe(id)
  })

  it("is refused where there is none: not recorded, too large, another project's, unknown, no id", async () => {
    const testService = await open({ project: { limits: { recordingBytes: 79 } } })
    const notFound = { status: 404, json: { _tag: "RecordingNotFound" } }
    const plain = await run(testService)
    expect(await ask(testService, `/executions/${plain.id}/recording`)).toMatchObject({
      ...notFound,
      json: { message: "the run was not recorded", details: { id: plain.id } }
    })
    const large = await run(testService, "&includeRecording=true")
    expect(large.recording).toEqual({ kept: false, bytes: 80 })
    expect(await ask(testService, `/executions/${large.id}/recording`)).toMatchObject({
      ...notFound,
      json: { message: "the run's recording was too large to be kept: 80 bytes" }
    })
    for (const id of ["0197a1c2-9b1e-7c3a-8f00-5d2e4b6a7c81", "x", "%00"]) {
      expect(await ask(testService, `/executions/${id}/recording`)).toMatchObject(notFound)
    }
  })

  it("is refused where the runtime gives only the size of a tape", async () => {
    const script: Script = ({ isRecorded, phase }) =>
      Effect.succeed(outcome(isRecorded === true ? { tape: phase === "exec" ? { bytes: 300_000 } : "{}" } : {}))
    const testService = await open({ script })
    const { id, recording } = await run(testService, "&includeRecording=true")
    expect(recording).toEqual({ kept: false, bytes: 300_002 })
    expect(await ask(testService, `/executions/${id}/recording`)).toMatchObject({ status: 404, json: { _tag: "RecordingNotFound" } })
  })

  it("takes a key of the project, and no ticket", async () => {
    const testService = await open()
    const { key, keys, provisioning, service } = testService
    const { id } = await run(testService, "&includeRecording=true")
    await Effect.runPromise(provisioning.createOrganization({ organizationSlug: "another" }))
    const other = await Effect.runPromise(provisioning.createProject({ organizationSlug: "another" }))
    const { key: theirs } = await Effect.runPromise(keys.issue(other.projectId))
    expect(await ask(testService, `/executions/${id}/recording`, Redacted.value(theirs))).toMatchObject({ status: 404 })
    const headers = { authorization: `Bearer ${key}` }
    const made = await service.fetch(seamRequest("POST", "/tickets", { headers, body: JSON.stringify({ allow: ["read", "execute"] }) }))
    const { ticket } = JSON.parse(String(made?.body)) as { readonly ticket: string }
    expect(await ask(testService, `/executions/${id}/recording`, ticket)).toMatchObject({ status: 403, json: { _tag: "OutsideTicket" } })
  })

  it("says of a runtime that cannot tell, and of a stored result that was not recorded, that there is no recording", async () => {
    const testService = await open({ script: () => Effect.succeed(outcome()) })
    expect(await run(testService, "&includeRecording=true")).toMatchObject({ recording: null })
    const stored = await open()
    await run(stored)
    expect(await run(stored, "&includeRecording=true&returnLastResult=true")).toMatchObject({ recording: null })
  })
})
