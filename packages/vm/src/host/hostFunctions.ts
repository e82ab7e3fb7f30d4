/** Every function that programs may import, in one list. */
import { argsGet } from "./argsGet.ts"
import { argsSizesGet } from "./argsSizesGet.ts"
import { callResultWrite } from "./callResultWrite.ts"
import { clockTimeGet } from "./clockTimeGet.ts"
import { environGet } from "./environGet.ts"
import { environSizesGet } from "./environSizesGet.ts"
import { executionResult } from "./executionResult.ts"
import { fdWrite } from "./fdWrite.ts"
import type { HostFunction } from "./hostFunction.ts"
import { httpFetch } from "./httpFetch.ts"
import { keccak256 } from "./keccak256.ts"
import { procExit } from "./procExit.ts"
import { proxyHttpFetch } from "./proxyHttpFetch.ts"
import { randomGet } from "./randomGet.ts"
import { secp256k1Verify } from "./secp256k1Verify.ts"
import { storageDelete } from "./storageDelete.ts"
import { storageRead } from "./storageRead.ts"
import { storageWrite } from "./storageWrite.ts"

/** The functions of both families and both phases (vm-abi, section 3). */
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
