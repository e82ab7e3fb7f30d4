/** The assembler of the test kit: WebAssembly modules from text, or from their parts. */
export { assemble, AssemblyFault } from "./assemble.ts"
export { callingProgram, type ProgramCall } from "./callingProgram.ts"
export { encodeModule, type FunctionSource, type ModuleSource, type Signature } from "./encodeModule.ts"
export { hostImport } from "./hostImports.ts"
export {
  call,
  drop,
  end,
  f32,
  f32Bits,
  f64,
  f64Bits,
  f64Const,
  i32,
  i32Add,
  i32Const,
  i32Store,
  i64,
  i64Const,
  i64Store,
  localGet,
  localSet,
  signed,
  u32
} from "./instructions.ts"
