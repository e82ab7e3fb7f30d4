/** What a program may import from its host: modules, names and types. */
import { i32, i64 } from "./instructions.ts"

const wasi = "wasi_snapshot_preview1"

/** By their names in TypeScript. */
export const hostImport = {
  executionResult: { module: "seda_v1", name: "execution_result", parameters: [i32, i32] },
  callResultWrite: { module: "seda_v1", name: "call_result_write", parameters: [i32, i32] },
  httpFetch: { module: "seda_v1", name: "http_fetch", parameters: [i32, i32], results: [i32] },
  proxyHttpFetch: { module: "seda_v1", name: "proxy_http_fetch", parameters: [i32, i32], results: [i32] },
  keccak256: { module: "seda_v1", name: "keccak256", parameters: [i32, i32], results: [i32] },
  secp256k1Verify: {
    module: "seda_v1",
    name: "secp256k1_verify",
    parameters: [i32, i64, i32, i32, i32, i32],
    results: [i32]
  },
  storageRead: { module: "seda_v1", name: "storage_read", parameters: [i32, i32], results: [i32] },
  storageWrite: { module: "seda_v1", name: "storage_write", parameters: [i32, i32], results: [i32] },
  storageDelete: { module: "seda_v1", name: "storage_delete", parameters: [i32, i32], results: [i32] },
  argsSizesGet: { module: wasi, name: "args_sizes_get", parameters: [i32, i32], results: [i32] },
  argsGet: { module: wasi, name: "args_get", parameters: [i32, i32], results: [i32] },
  environSizesGet: { module: wasi, name: "environ_sizes_get", parameters: [i32, i32], results: [i32] },
  environGet: { module: wasi, name: "environ_get", parameters: [i32, i32], results: [i32] },
  fdWrite: { module: wasi, name: "fd_write", parameters: [i32, i32, i32, i32], results: [i32] },
  procExit: { module: wasi, name: "proc_exit", parameters: [i32] },
  randomGet: { module: wasi, name: "random_get", parameters: [i32, i32], results: [i32] },
  clockTimeGet: { module: wasi, name: "clock_time_get", parameters: [i32, i64, i32], results: [i32] }
} as const
