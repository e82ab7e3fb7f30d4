/** Whether a program could ever call a data proxy: most cannot, and need no credits held for it (decision D31). */
import { proxyHttpFetch } from "../host/seda/proxyHttpFetch.ts"

/** False only if it cannot: the name of an import is in the module as plain bytes, so without them there is no such import. */
export const mayAskProxies = (program: Uint8Array): boolean =>
  Buffer.from(program.buffer, program.byteOffset, program.byteLength).includes(proxyHttpFetch.name, 0, "latin1")
