/** The endpoints that tell of past runs. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import * as Errors from "./errors.ts"
import { recordingFormat, recordingVersion } from "./recordingFormat.ts"
import { ReportsRecord } from "./records.ts"
import { ReportsQuery } from "./reportParams.ts"

/** `GET /data-request-reports`. */
export const reportsOfRequest = HttpApiEndpoint.get("dataRequestReports", "/data-request-reports")
  .annotate(OpenApi.Summary, "Past runs of a data request")
  .annotate(OpenApi.Description, "The project's own past runs of one data request, in pages; those that ended last come first.")
  .setUrlParams(ReportsQuery)
  .addSuccess(ReportsRecord)
  .addError(Errors.InvalidParameter.wire)

const Part = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** A recording in its outline; docs/RECORDINGS.md has each part. */
export const RecordingRecord = Schema.Struct({
  format: Schema.Literal(recordingFormat),
  version: Schema.Literal(recordingVersion),
  run: Part.annotations({ description: "id, time, version of the server, and the key that signed" }),
  dataRequest: Part,
  dataResult: Part,
  signature: Schema.String,
  execute: Part.annotations({ description: "how the execution phase ended" }),
  tally: Schema.NullOr(Part).annotations({ description: "how the tally phase ended; null if there was none" }),
  source: Part.annotations({ description: "what both phases depended on beside request, programs and tapes" }),
  execTapes: Schema.Array(Part).annotations({ description: "what each executor's phase was answered from outside" }),
  tallyTape: Schema.NullOr(Part),
  programs: Part.annotations({ description: "the programs' bytes in base64, by id" }),
  digests: Part.annotations({ description: "Keccak-256 of the JSON of each part" }),
  attestation: Schema.Struct({ signer: Schema.String, signedAtMs: Schema.Int, signature: Schema.String }).annotations({
    description: "the service's signature over the digests: the key, when it signed, and 65 bytes in hex"
  })
}).annotations({ identifier: "Recording" })

const idParameter = HttpApiSchema.param("id", Schema.String.annotations({ description: "the run's id, data.id of its answer" }))

const description =
  "A file that holds everything that a run depended on: the command `sibyl replay` runs it again, offline, and says whether result, gas, " +
  "exit codes, ids and signature are the same. Runs are recorded with includeRecording, or all where the operator says so. Takes a key."

/** `GET /executions/{id}/recording`. */
export const recordingOfRun = HttpApiEndpoint.get("recording")`/executions/${idParameter}/recording`
  .annotate(OpenApi.Summary, "The recording of a run")
  .annotate(OpenApi.Description, description)
  .addSuccess(RecordingRecord)
  .addError(Errors.RecordingNotFound.wire)
