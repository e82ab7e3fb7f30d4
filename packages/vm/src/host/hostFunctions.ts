/** All functions that programs may import. */
import { argsGet } from "./wasi/argsGet.ts"
import { argsSizesGet } from "./wasi/argsSizesGet.ts"
import { callResultWrite } from "./seda/callResultWrite.ts"
import { clockTimeGet } from "./wasi/clockTimeGet.ts"
import { environGet } from "./wasi/environGet.ts"
import { environSizesGet } from "./wasi/environSizesGet.ts"
import { executionResult } from "./seda/executionResult.ts"
import { fdWrite } from "./wasi/fdWrite.ts"
import type { HostFunction } from "./state/hostFunction.ts"
import { httpFetch } from "./seda/httpFetch.ts"
import { keccak256 } from "./seda/keccak256.ts"
import { procExit } from "./wasi/procExit.ts"
import { proxyHttpFetch } from "./seda/proxyHttpFetch.ts"
import { randomGet } from "./wasi/randomGet.ts"
import { secp256k1Verify } from "./seda/secp256k1Verify.ts"
import { storageDelete } from "./seda/storageDelete.ts"
import { storageRead } from "./seda/storageRead.ts"
import { storageWrite } from "./seda/storageWrite.ts"

/** The functions of both families and both phases (docs/PROGRAMS.md, "Imports, and what they cost"). */
export const hostFunctions: ReadonlyArray<HostFunction> = [
  executionResult,
  callResultWrite,
  httpFetch,
  proxyHttpFetch,
  keccak256,
  secp256k1Verify,
  storageRead,
  storageWrite,
  storageDelete,
  argsSizesGet,
  argsGet,
  environSizesGet,
  environGet,
  fdWrite,
  procExit,
  randomGet,
  clockTimeGet
]
