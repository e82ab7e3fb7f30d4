/** A program by where it is: a module in a file, or a folder of sources. */
import { Effect } from "effect"
import type { CommandFailed } from "../output/failure.ts"
import { compileProgram, compileSymbols, type CompileFailed } from "./compileProgram.ts"
import { isFolder, readBytes } from "./programFiles.ts"

/** A program, and where it was asked for a build of it that names its functions. */
export interface ProgramModule {
  readonly program: Uint8Array
  readonly symbols: Uint8Array | undefined
}

/** Reads the module, or compiles the folder; `named`: its functions' names are wanted, which a module in a file has or has not. */
export const moduleAt = (path: string, named: boolean): Effect.Effect<ProgramModule, CommandFailed | CompileFailed> =>
  Effect.gen(function* () {
    if (!(yield* isFolder(path))) return { program: yield* readBytes(path), symbols: undefined }
    const { wasm } = yield* compileProgram(path)
    return { program: wasm, symbols: named ? yield* compileSymbols(path) : undefined }
  })
