/** The port to the storage that programs have between runs, separate for each project and program (decision D44). */
import { Context, type Effect } from "effect"
import type { StorageView } from "../domain/programs/programStorage.ts"

/** Reads the storage of programs. Only `Ledger.settle` writes to it, in its transaction. */
export class ProgramStorage extends Context.Tag("@sibyl/core/ProgramStorage")<
  ProgramStorage,
  {
    /** The current values of these keys, and the number of all keys. Keys are lowercase hex. */
    readonly read: (projectId: string, programId: string, keys: ReadonlyArray<string>) => Effect.Effect<StorageView>
  }
>() {}
