/** `seda_v1.storage_write`: the program's own keys and values (decision D44). */
import { storageCall } from "./storageCall.ts"

/** Writes keys of the project's storage for this program. */
export const storageWrite = storageCall("write")
