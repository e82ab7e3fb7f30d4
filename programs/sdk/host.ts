/** The imported host functions, the oracle's own and part of WASI; only those that a program uses are linked. */

/** Makes a request; returns the length of the pending answer. Rejected in the tally phase. */
@external("seda_v1", "http_fetch")
export declare function http_fetch(action: usize, length: u32): u32

/** The same through a data proxy. */
@external("seda_v1", "proxy_http_fetch")
export declare function proxy_http_fetch(action: usize, length: u32): u32

/** Copies the pending answer, of exactly `length` bytes, and clears it. */
@external("seda_v1", "call_result_write")
export declare function call_result_write(to: usize, length: u32): void

/** Reads keys of the program's storage; returns the length of the pending answer. Not linked in the tally phase. */
@external("seda_v1", "storage_read")
export declare function storage_read(action: usize, length: u32): u32

/** Writes keys. Not linked in the tally phase. */
@external("seda_v1", "storage_write")
export declare function storage_write(action: usize, length: u32): u32

/** Deletes keys. Not linked in the tally phase. */
@external("seda_v1", "storage_delete")
export declare function storage_delete(action: usize, length: u32): u32

/** Sets the result of the phase. */
@external("seda_v1", "execution_result")
export declare function execution_result(from: usize, length: u32): void

/** Hashes; the pending answer is the 32-byte Keccak-256. */
@external("seda_v1", "keccak256")
export declare function keccak256(from: usize, length: u32): u32

/** 1 if the signature (64 bytes r, s) of the message's Keccak-256 is valid for the key (SEC1), else 0. */
@external("seda_v1", "secp256k1_verify")
export declare function secp256k1_verify(
  message: usize,
  messageLength: i64,
  signature: usize,
  signatureLength: u32,
  publicKey: usize,
  publicKeyLength: u32
): u32

@external("wasi_snapshot_preview1", "args_sizes_get")
export declare function args_sizes_get(count: usize, bytes: usize): u32

@external("wasi_snapshot_preview1", "args_get")
export declare function args_get(pointers: usize, strings: usize): u32

@external("wasi_snapshot_preview1", "environ_sizes_get")
export declare function environ_sizes_get(count: usize, bytes: usize): u32

@external("wasi_snapshot_preview1", "environ_get")
export declare function environ_get(pointers: usize, strings: usize): u32

@external("wasi_snapshot_preview1", "fd_write")
export declare function fd_write(fd: u32, vectors: usize, count: u32, written: usize): u32

@external("wasi_snapshot_preview1", "clock_time_get")
export declare function clock_time_get(clock: u32, precision: i64, time: usize): u32

@external("wasi_snapshot_preview1", "random_get")
export declare function random_get(to: usize, length: u32): u32

@external("wasi_snapshot_preview1", "proc_exit")
export declare function proc_exit(code: u32): void
