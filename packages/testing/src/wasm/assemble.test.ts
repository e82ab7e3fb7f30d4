/** The assembler's text gives the same modules as their parts. */
import { expect, it } from "vitest"
import { assemble } from "./assemble.ts"
import { encodeModule } from "./encodeModule.ts"
import { hostImport } from "./hostImports.ts"
import { call, i32, i32Const, localGet, localSet } from "./instructions.ts"

it("encodes text like the corresponding parts", () => {
  const module = assemble(`
    import execution_result
    import proc_exit
    memory 2
    data 64 "held"
    local at ;; where it lies
    i32.const 64
    local.set at
    local.get at
    i32.const 4
    call execution_result
    i32.const -129
    call proc_exit`)
  const parts = encodeModule({
    imports: [hostImport.executionResult, hostImport.procExit],
    functions: [
      {
        locals: [i32],
        code: [...i32Const(64), ...localSet(0), ...localGet(0), ...i32Const(4), ...call(0), ...i32Const(-129), ...call(1)]
      }
    ],
    memory: 2,
    data: [{ offset: 64, bytes: [...Buffer.from("held")] }]
  })
  expect(module).toEqual(parts)
  expect(WebAssembly.validate(parts.slice())).toBe(true)
})

it("omits empty sections", () => {
  expect(assemble("")).toEqual(encodeModule({ functions: [{ code: [] }], memory: 1 }))
  expect(WebAssembly.validate(assemble("").slice())).toBe(true)
})
