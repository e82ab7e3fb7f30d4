/** A program that makes HTTP requests one after the other and gives the answer to the last one as its result. */
import { call, encodeModule, hostImport, i32, i32Const, localGet, localSet } from "@sibyl/testing/wasm"

const first = 1_024

/** The program. The actions are JSON texts; the answers may have 100 kB as JSON. */
export const fetchingProgram = (actions: ReadonlyArray<string>): Uint8Array => {
  let offset = first
  const data = actions.map((text) => {
    const bytes = [...new TextEncoder().encode(text)]
    const placed = { offset, bytes }
    offset += bytes.length
    return placed
  })
  const code = data.flatMap(({ bytes, offset: at }) => [...i32Const(at), ...i32Const(bytes.length), ...call(0), ...localSet(0)])
  return encodeModule({
    imports: [hostImport.httpFetch, hostImport.callResultWrite, hostImport.executionResult],
    memory: 4,
    data,
    functions: [
      {
        locals: [i32],
        code: [...code, ...i32Const(65_536), ...localGet(0), ...call(1), ...i32Const(65_536), ...localGet(0), ...call(2)]
      }
    ]
  })
}

/** An action: a GET of this URL. */
export const getting = (url: string): string => JSON.stringify({ url, options: { method: "Get", headers: {}, body: [] } })
