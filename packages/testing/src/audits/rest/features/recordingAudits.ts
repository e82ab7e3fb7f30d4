/** Audits of the recordings of runs: what they hold, which runs have one, and whose they are. */
import { readRecording } from "@sibyl/core"
import { Either } from "effect"
import { type Audit, audit, type Findings } from "../../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../../check.ts"
import { type Answer, at, drIdOf, execute, freshInputs, send } from "../call.ts"
import type { Target } from "../target.ts"
import { id64, isError, succeeds } from "../wireForms.ts"

const recordingOf = (target: Target, run: Answer, key?: string): Promise<Answer> =>
  send(target, { path: `/executions/${String(at(run.json, "data", "id"))}/recording`, ...(key === undefined ? {} : { key }) })

const ofRecordings = (id: string, title: string, body: (target: Target) => Promise<Findings>): Audit<Target> =>
  audit<Target>(id, "MUST", "Recordings", title, async (target) =>
    target.hasRecordings === true ? body(target) : { skip: "the service keeps no recordings" }
  )

/** The recording's own words for bytes. */
const base64Of = (hex: unknown): string => Buffer.from(String(hex), "hex").toString("base64")

const partsWithDigests = [
  "run",
  "dataRequest",
  "dataResult",
  "signature",
  "execute",
  "tally",
  "source",
  "execTapes",
  "tallyTape",
  "programs"
]

/** The recording is whole, and signed by a key that the service names; only compact JSON has its digests. */
const isSignedBy = (recording: unknown, { json: info }: Answer): ReadonlyArray<Check> => {
  const read = readRecording(JSON.stringify(recording))
  if (Either.isLeft(read)) return [same("the recording is whole", `${read.left.part} ${read.left.message}`, "")]
  const listed = at(info, "keys")
  const keys = [at(info, "publicKey"), ...(Array.isArray(listed) ? listed.map((key: unknown) => at(key, "publicKey")) : [])]
  return [holds("a key of the service has signed the recording", keys.includes(read.right.attestation?.signer), read.right.attestation)]
}

const keepsRecordings = ofRecordings(
  "REST-RECORD-001",
  "a run with includeRecording has a recording of that run: request, signed result, programs, tapes, a digest of each part, and the service's signature",
  async (target) => {
    const run = await execute(target, "echo", { execInputs: freshInputs(), includeRecording: "true" })
    const answer = await recordingOf(target, run)
    const { json } = answer
    const digests = at(json, "digests")
    return [
      ...succeeds("the run", run),
      same("kept", at(run.json, "data", "recording", "kept"), true),
      same("status", answer.status, 200),
      keysAre("the recording", json, ["format", "version", ...partsWithDigests, "digests", "attestation"]),
      ...isSignedBy(json, await send(target, { path: "/info" })),
      same("format", at(json, "format"), "sibyl-recording"),
      same("run", at(json, "run", "id"), at(run.json, "data", "id")),
      same("drId", at(json, "dataResult", "drId"), drIdOf(run)),
      same("inputs", at(json, "dataRequest", "execInputs"), base64Of(at(run.json, "data", "dataRequest", "execInputs"))),
      same("result", at(json, "dataResult", "result"), base64Of(at(run.json, "data", "dataResult", "result"))),
      same("signature", at(json, "signature"), at(run.json, "data", "signature")),
      matches("the program", at(json, "programs", target.programs.echo), /^AGFzbQ/),
      keysAre("digests", digests, partsWithDigests),
      ...partsWithDigests.map((part) => matches(`the digest of ${part}`, at(digests, part), id64))
    ]
  }
)

const recordsOnRequest = ofRecordings(
  "REST-RECORD-002",
  "a run that was not to be recorded has no recording, nor has one that never was: 404 RecordingNotFound",
  async (target) => {
    const run = await execute(target, "echo", { execInputs: freshInputs() })
    const never = { ...run, json: { data: { id: "00000000-0000-4000-8000-000000000000" } } }
    return [
      same("not named", at(run.json, "data", "recording"), undefined),
      ...isError("not recorded", await recordingOf(target, run), 404, "RecordingNotFound"),
      ...isError("never run", await recordingOf(target, never), 404, "RecordingNotFound")
    ]
  }
)

const keepsRecordingsApart = ofRecordings("REST-RECORD-003", "another project's run has no recording for this one", async (target) => {
  if (target.otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
  const run = await execute(target, "echo", { execInputs: freshInputs(), includeRecording: "true" })
  return isError("theirs", await recordingOf(target, run, target.otherTenantKey), 404, "RecordingNotFound")
})

/** Recordings. */
export const recordingAudits: ReadonlyArray<Audit<Target>> = [keepsRecordings, recordsOnRequest, keepsRecordingsApart]
