/** `seda_v1.storage_read`: the program's own keys and values (decision D44). */
import { storageCall } from "./storageCall.ts"

/** Reads keys of the project's storage for this program. */
export const storageRead = storageCall("read")
