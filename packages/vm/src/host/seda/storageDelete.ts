/** `seda_v1.storage_delete`: the program's own keys and values (decision D44). */
import { storageCall } from "./storageCall.ts"

/** Deletes keys of the project's storage for this program. */
export const storageDelete = storageCall("delete")
