/** The recording of a run, as `GET /executions/{id}/recording` answers it. */
import { Clock, Effect, Option } from "effect"
import { RecordingNotFound } from "../../contract/errors.ts"
import type { Project } from "../../domain/accounts/project.ts"
import { attestationOf } from "../../domain/recordings/attestation.ts"
import { recordingDraftOf, type Recording, recordingOf } from "../../domain/recordings/recording.ts"
import { ProgramStore } from "../../ports/programStore.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { Signing } from "../../services/phases/signing.ts"

const notFound = (id: string, why: string) => Effect.fail(new RecordingNotFound({ message: why, details: { id } }))

/** What recordings are looked up with. */
export type RecordingServices = Options | ProgramStore | ResultStore | Signing

/** The programs by id; they stay deployed. */
const programsOf = (ids: ReadonlyArray<string>): Effect.Effect<Recording["programs"], never, ProgramStore> =>
  Effect.flatMap(ProgramStore, (programs) =>
    Effect.map(
      Effect.forEach(new Set(ids), (id) =>
        Effect.map(
          programs.get(id),
          Option.map((bytes) => [id, bytes] as const)
        )
      ),
      (found) => Object.fromEntries(found.flatMap(Option.toArray))
    )
  )

/** The file's text, signed now: that the service has this recording of the run is what it says, whenever the run was. */
const signedText = (recording: Recording): Effect.Effect<string, never, Signing> =>
  Effect.gen(function* () {
    const draft = recordingDraftOf(recording)
    const nowMs = yield* Clock.currentTimeMillis
    const digest = draft.digestAt(nowMs)
    return draft.text(attestationOf(digest, nowMs, yield* (yield* Signing).signOther(digest, nowMs)))
  })

/** The file's text; `id` is the raw path parameter. */
export const recordingText = (
  { projectId }: Pick<Project, "projectId">,
  id: string
): Effect.Effect<string, RecordingNotFound, RecordingServices> =>
  Effect.gen(function* () {
    const found = yield* (yield* ResultStore).find(projectId, id)
    if (Option.isNone(found)) return yield* notFound(id, "the project has no run with this id, or its report was not kept so long")
    const report = found.value
    const { execProgramId, tallyProgramId } = report.dataRequest
    const { serverVersion } = yield* Options
    const recording = recordingOf(report, yield* programsOf([execProgramId, tallyProgramId]), serverVersion)
    if (recording !== undefined) return yield* signedText(recording)
    const { recorded } = report
    return yield* notFound(
      id,
      recorded === undefined ? "the run was not recorded" : `the run's recording was too large to be kept: ${recorded.bytes} bytes`
    )
  })
