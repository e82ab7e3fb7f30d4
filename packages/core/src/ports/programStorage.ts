/** The port to what programs keep between their runs, for each project and program its own (decision D44). */
import { Context, type Effect } from "effect"
import type { StorageView } from "../domain/programs/programStorage.ts"

/** Reads what programs keep. Writes come in through `Ledger.settle` only, in its transaction. */
export class ProgramStorage extends Context.Tag("@sibyl/core/ProgramStorage")<
  ProgramStorage,
  {
    /** What these keys hold now, and how many keys there are. Keys are lowercase hex. */
    readonly read: (projectId: string, programId: string, keys: ReadonlyArray<string>) => Effect.Effect<StorageView>
  }
>() {}
