/** The least that a host can do for the price program: one prepared answer, no gas, no limits, no tape. */

/** Thrown when the program exits well. It is no error: taking a stack would cost more than some runs. */
const done = Symbol("the program has ended")

const encoder = new TextEncoder()

/** What puts an instance back to its first state: all of its memory, and its globals, which have to be exported. */
const restorerOf = ({ memory, ...others }) => {
  const image = new Uint8Array(memory.buffer).slice()
  const end = image.findLastIndex((byte) => byte !== 0) + 1
  const first = image.subarray(0, end)
  const globals = []
  for (const value of Object.values(others)) {
    if (!(value instanceof WebAssembly.Global)) continue
    const begin = value.value
    try {
      value.value = begin
      globals.push([value, begin])
    } catch {
      // A constant.
    }
  }
  return () => {
    const bytes = new Uint8Array(memory.buffer)
    bytes.set(first)
    bytes.fill(0, end)
    for (const [global, begin] of globals) global.value = begin
  }
}

/** The arguments of the program, as WASI gives them. */
const argumentsHost = (args, memoryNow) => {
  const view = () => new DataView(memoryNow().buffer)
  const texts = ["_start", ...args].map((text) => encoder.encode(`${text}\0`))
  return {
    args_sizes_get: (count, size) => {
      view().setUint32(count, texts.length, true)
      view().setUint32(
        size,
        texts.reduce((sum, { length }) => sum + length, 0),
        true
      )
      return 0
    },
    args_get: (pointers, texts_) => {
      let at = texts_
      for (const [index, text] of texts.entries()) {
        view().setUint32(pointers + 4 * index, at, true)
        new Uint8Array(memoryNow().buffer).set(text, at)
        at += text.length
      }
      return 0
    }
  }
}

/** An instance that is used again and again; `run` gives the result of one run. */
export const openBare = (module, { args, clockMs, promiseOf }) => {
  let memory
  let result
  let promise
  const view = () => new DataView(memory.buffer)
  const ok = () => 0
  const { exports } = new WebAssembly.Instance(module, {
    seda_v1: {
      http_fetch: () => {
        promise = promiseOf()
        return promise.length
      },
      call_result_write: (pointer, length) => new Uint8Array(memory.buffer, pointer, length).set(promise),
      execution_result: (pointer, length) => {
        result = new Uint8Array(memory.buffer, pointer, length).slice()
      }
    },
    wasi_snapshot_preview1: {
      fd_write: ok,
      proc_exit: (code) => {
        throw code === 0 ? done : new Error(`exit ${code}`)
      },
      clock_time_get: (_, __, pointer) => {
        view().setBigUint64(pointer, BigInt(clockMs) * 1_000_000n, true)
        return 0
      },
      ...argumentsHost(args, () => memory)
    }
  })
  memory = exports.memory
  const restore = restorerOf(exports)
  return {
    run: () => {
      restore()
      try {
        exports._start()
      } catch (fault) {
        if (fault !== done) throw fault
      }
      return result
    }
  }
}
