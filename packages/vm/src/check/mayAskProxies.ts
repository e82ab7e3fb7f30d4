/** Whether a program could ever ask a data proxy: most cannot, and need no credits held for it (decision D31). */
import { proxyHttpFetch } from "../host/seda/proxyHttpFetch.ts"

/** False only when it cannot: an import's name stands in the module as it is, so without these bytes there is no such import. */
export const mayAskProxies = (program: Uint8Array): boolean =>
  Buffer.from(program.buffer, program.byteOffset, program.byteLength).includes(proxyHttpFetch.name, 0, "latin1")
