/** A program that makes calls of all kinds one after the other; its result is 8 random bytes and the answer to the last call. */
import { encodeModule } from "./encodeModule.ts"
import { hostImport } from "./hostImports.ts"
import { call, drop, i32, i32Add, i32Const, localGet, localSet } from "./instructions.ts"

/** One call. Keys and values of storage are hex. */
export type ProgramCall =
  | { readonly kind: "fetch" | "proxied"; readonly url: string }
  | { readonly kind: "read" | "delete"; readonly key: string }
  | { readonly kind: "write"; readonly key: string; readonly value: string }

const imports = [
  hostImport.httpFetch,
  hostImport.storageRead,
  hostImport.storageWrite,
  hostImport.storageDelete,
  hostImport.callResultWrite,
  hostImport.executionResult,
  hostImport.randomGet,
  hostImport.proxyHttpFetch
]

const functionOf = { fetch: 0, read: 1, write: 2, delete: 3, proxied: 7 } as const
const [callResultWrite, executionResult, randomGet] = [4, 5, 6] as const

const actionOf = (one: ProgramCall): string => {
  switch (one.kind) {
    case "fetch":
    case "proxied":
      return JSON.stringify({ url: one.url, options: { method: "Get", headers: {}, body: [] } })
    case "write":
      return JSON.stringify({ values: { [one.key]: one.value } })
    default:
      return JSON.stringify({ keys: [one.key] })
  }
}

const [firstAction, resultAt] = [1_024, 65_536]

/** The program that makes these calls. */
export const callingProgram = (calls: ReadonlyArray<ProgramCall>): Uint8Array => {
  let offset = firstAction
  const data = calls.map((one) => {
    const bytes = [...new TextEncoder().encode(actionOf(one))]
    const placed = { offset, bytes }
    offset += bytes.length
    return placed
  })
  const code = calls.flatMap(({ kind }, at) => {
    const { bytes = [], offset: from = 0 } = data[at] ?? {}
    return [...i32Const(from), ...i32Const(bytes.length), ...call(functionOf[kind]), ...localSet(0)]
  })
  const last = calls.length === 0 ? [] : [...i32Const(resultAt + 8), ...localGet(0), ...call(callResultWrite)]
  const random = [...i32Const(resultAt), ...i32Const(8), ...call(randomGet), drop]
  const length = [...localGet(0), ...i32Const(8), i32Add]
  return encodeModule({
    imports,
    memory: 4,
    data,
    functions: [{ locals: [i32], code: [...code, ...last, ...random, ...i32Const(resultAt), ...length, ...call(executionResult)] }]
  })
}
