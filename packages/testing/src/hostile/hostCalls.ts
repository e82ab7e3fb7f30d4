/** Programs that overdo the calls to their host: requests, storage, hashes, signatures, the environment. */
import { call, drop, i32Const, i64Const, localGet, localSet } from "../wasm/instructions.ts"
import { asking, type Bomb, exitZero, fill, forever, harmless, stopped, textBytes } from "./bomb.ts"

const action = (text: string) => ({ memory: 32, data: [{ offset: 0, bytes: textBytes(text) }] })

const fetchText = (url: string, more: object = {}): string =>
  JSON.stringify({ url, options: { method: "GET", headers: {}, body: null, timeout_ms: 100, ...more } })

/** Asks the import for the action at address 0, for ever. */
const flood = (name: string, host: "httpFetch" | "proxyHttpFetch" | "storageRead" | "storageWrite" | "storageDelete", text: string): Bomb =>
  stopped(name, { ...action(text), imports: [host], code: forever(asking(0, 0, textBytes(text).length)) })

/** Asks once. What the host says is not looked at. */
const once = (name: string, host: "httpFetch" | "proxyHttpFetch" | "storageRead" | "storageWrite", text: string): Bomb =>
  harmless(name, { ...action(text), imports: [host, "procExit"], code: [...asking(0, 0, textBytes(text).length), ...exitZero(1)] })

/** The same, of what ends the program. */
const refusedCall = (name: string, host: "storageWrite", text: string): Bomb => ({ ...once(name, host, text), ends: "stopped" })

const deep = (depth: number): string => `{"url":${"[".repeat(depth)}${"]".repeat(depth)}}`

/** Every call to its host that a program can overdo. */
export const hostCalls: ReadonlyArray<Bomb> = [
  flood("requests that are no JSON, for ever", "httpFetch", "no JSON"),
  flood("requests to a refused address, for ever", "httpFetch", fetchText("http://127.0.0.1:1/")),
  flood("proxied requests of nothing, for ever", "proxyHttpFetch", "{}"),
  flood("reads of storage, for ever", "storageRead", '{"keys":["61"]}'),
  flood("writes to storage, for ever", "storageWrite", '{"values":{"61":"00"}}'),
  flood("deletions from storage, for ever", "storageDelete", '{"keys":["61"]}'),
  once("a request to a file", "httpFetch", fetchText("file:///etc/passwd")),
  once("a request to the metadata of a cloud", "httpFetch", fetchText("http://169.254.169.254/latest/meta-data/")),
  once("a request with line ends in a header", "httpFetch", fetchText("http://a.invalid/", { headers: { "x\r\ny": "z\r\nhost: b" } })),
  once(
    "a request with 10,000 headers",
    "httpFetch",
    fetchText("http://a.invalid/", { headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`h${at}`, "v"])) })
  ),
  once("a request 10,000 brackets deep", "httpFetch", deep(10_000)),
  once("a request with the name of a prototype", "httpFetch", '{"__proto__":{"url":"http://a.invalid/"},"constructor":1}'),
  once("a request with a time-out of minus one", "httpFetch", fetchText("http://a.invalid/", { timeout_ms: -1 })),
  once("10,000 keys of storage", "storageRead", JSON.stringify({ keys: Array.from({ length: 10_000 }, (_, at) => `${at}`) })),
  refusedCall("a key of storage of 100,000 characters", "storageWrite", JSON.stringify({ values: { ["k".repeat(100_000)]: "00" } })),
  once("a proxied request 10,000 brackets deep", "proxyHttpFetch", deep(10_000)),
  harmless("a request of 2 MiB of the same byte", {
    memory: 32,
    imports: ["httpFetch", "procExit"],
    code: [...fill(0, 34, 2_097_152), ...asking(0, 0, 2_097_152), ...exitZero(1)]
  }),
  stopped("an answer that was not asked for", {
    imports: ["callResultWrite", "procExit"],
    code: [...i32Const(0), ...i32Const(64), ...call(0), ...exitZero(1)]
  }),
  stopped("signatures of nothing, for ever", {
    imports: ["secp256k1Verify"],
    code: forever([...i32Const(0), ...i64Const(32n), ...[32, 64, 96, 33].flatMap(i32Const), ...call(0), drop])
  }),
  stopped("hashes of nothing, for ever", { imports: ["keccak256"], code: forever(asking(0, 0, 0)) }),
  stopped("a hash of minus one byte", { imports: ["keccak256"], code: asking(0, 0, -1) }),
  stopped("arguments, for ever", { imports: ["argsSizesGet", "argsGet"], code: forever([...asking(0, 0, 4), ...asking(1, 16, 1_024)]) }),
  stopped("the environment, for ever", {
    imports: ["environSizesGet", "environGet"],
    code: forever([...asking(0, 0, 4), ...asking(1, 16, 16_384)])
  }),
  stopped("the environment at the last byte of memory", {
    imports: ["environGet", "procExit"],
    code: [...asking(0, 65_535, 65_535), ...exitZero(1)]
  }),
  harmless("arguments over their own pointers", {
    imports: ["argsGet", "procExit"],
    code: [...asking(0, 0, 0), ...exitZero(1)]
  }),
  stopped("random bytes, for ever", { imports: ["randomGet"], code: forever(asking(0, 0, 65_536)) }),
  stopped("the time, for ever", {
    imports: ["clockTimeGet"],
    code: forever([...localGet(0), ...i64Const(1n), ...i32Const(8), ...call(0), ...localSet(0)])
  })
]
