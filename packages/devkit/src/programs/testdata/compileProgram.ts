/** Compiles the source of a guest program against the SDK, as in a program's own folder. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildPrograms, programsFolder } from "./builtProgram.ts"

/** The bytes of a program with this source; it imports the SDK from `../sdk/index`. */
export const compileProgram = async (source: string): Promise<Uint8Array<ArrayBuffer>> => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-"))
  try {
    cpSync(join(programsFolder, "sdk"), join(folder, "sdk"), { recursive: true })
    mkdirSync(join(folder, "program"))
    writeFileSync(join(folder, "program", "index.ts"), source)
    await buildPrograms(folder)
    return new Uint8Array(readFileSync(join(folder, "build", "program.wasm")))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
