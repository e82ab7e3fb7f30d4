/** Programs (AssemblyScript, as text) that call the host exactly as programs built with the public SDKs do. */

const imports = `
import "../sdk/process" // what the compiler calls on abort

@external("seda_v1", "http_fetch") declare function http_fetch(action: usize, length: u32): u32
@external("seda_v1", "call_result_write") declare function call_result_write(to: usize, length: u32): void
@external("seda_v1", "execution_result") declare function execution_result(from: usize, length: u32): void
@external("wasi_snapshot_preview1", "args_sizes_get") declare function args_sizes_get(count: usize, size: usize): i32
@external("wasi_snapshot_preview1", "args_get") declare function args_get(pointers: usize, to: usize): i32
@external("wasi_snapshot_preview1", "environ_sizes_get")
declare function environ_sizes_get(count: usize, size: usize): i32
@external("wasi_snapshot_preview1", "environ_get") declare function environ_get(pointers: usize, to: usize): i32
@external("wasi_snapshot_preview1", "fd_write")
declare function fd_write(fd: i32, vectors: usize, count: i32, written: usize): i32
@external("wasi_snapshot_preview1", "random_get") declare function random_get(to: usize, length: i32): i32
@external("wasi_snapshot_preview1", "proc_exit") declare function proc_exit(code: i32): void

function strings(sizesGet: (count: usize, size: usize) => i32, get: (pointers: usize, to: usize) => i32): string[] {
  const sizes = heap.alloc(8)
  sizesGet(sizes, sizes + 4)
  const count = load<u32>(sizes)
  const pointers = heap.alloc(count * 4 + 4)
  get(pointers, heap.alloc(load<u32>(sizes, 4) + 1))
  const all: string[] = []
  for (let at: u32 = 0; at < count; at++) {
    const start = load<u32>(pointers + at * 4)
    let end = start
    while (load<u8>(end) != 0) end++
    all.push(String.UTF8.decodeUnsafe(start, end - start))
  }
  return all
}
const args = strings((count, size) => args_sizes_get(count, size), (pointers, to) => args_get(pointers, to))
const envs = strings((count, size) => environ_sizes_get(count, size), (pointers, to) => environ_get(pointers, to))

function unhex(text: string): string {
  const bytes = new Uint8Array(text.length >> 1)
  for (let at = 0; at < bytes.length; at++) bytes[at] = <u8>parseInt(text.substr(at * 2, 2), 16)
  return String.UTF8.decode(bytes.buffer)
}
function write(fd: i32, pieces: string[]): void {
  const vectors = heap.alloc(pieces.length * 8)
  for (let at = 0; at < pieces.length; at++) {
    const bytes = String.UTF8.encode(pieces[at])
    store<u32>(vectors + at * 8, changetype<u32>(bytes))
    store<u32>(vectors + at * 8, bytes.byteLength, 4)
  }
  fd_write(fd, vectors, pieces.length, heap.alloc(4))
}
function finish(code: i32, result: string): void {
  const bytes = String.UTF8.encode(result)
  execution_result(changetype<usize>(bytes), bytes.byteLength)
  proc_exit(code)
  unreachable()
}
function ask(action: string): string {
  const bytes = String.UTF8.encode(action)
  const length = http_fetch(changetype<usize>(bytes), bytes.byteLength)
  const answer = new ArrayBuffer(length)
  call_result_write(changetype<usize>(answer), length)
  return String.UTF8.decode(answer)
}
`

/**
 * As Rust's standard library and the Rust SDK: environment and arguments at the start, random bytes for the first hash map, actions in
 * serde's form, lines in pieces, a panic that ends in `unreachable`.
 */
export const rustPattern = `${imports}
const input = unhex(args[1])
if (input == "map") random_get(heap.alloc(16), 16)
if (input == "panic") {
  write(2, ["\\nthread 'main' panicked at src/main.rs:7:5:\\n", "no price", "\\n"])
  unreachable()
}
if (envs.includes("VM_MODE=tally")) {
  write(1, ["tally of ", args[2], " ", args[3], "\\n"])
  finish(0, args[2])
}
const options = '{"method":"Post","headers":{"content-type":"application/json"},"body":[123,125],"timeout_ms":1500}'
const answer = ask('{"url":"https://api.test/price","options":' + options + "}")
finish(answer.startsWith('{"Fulfilled":[') ? 0 : 1, answer)
`

/** As the AssemblyScript SDK: options first, methods as the user wrote them, a time-out that is a float. */
export const assemblyScriptPattern = `${imports}
if (!envs.includes("VM_MODE=dr")) finish(3, "not an execution")
const options = '{"method":"get","headers":{},"body":[],"timeout_ms":1500.0}'
const answer = ask('{"options":' + options + ',"url":"' + unhex(args[1]) + '"}')
write(1, ["asked\\n"])
finish(0, answer)
`
