/** The compiled example programs, built when their sources have changed. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The folder of the programs' sources. */
export const programsFolder = dirname(createRequire(import.meta.url).resolve("@sibyl/programs/package.json"))

/** Builds the programs in a folder, which is this project's own or a copy of it; returns what the build prints. */
export const buildPrograms = (folder: string = programsFolder): string =>
  execFileSync(process.execPath, [join(programsFolder, "build.mjs"), "--base", folder], { encoding: "utf8" })

/** The bytes of a program by name. */
export const builtProgram = (name: string): Uint8Array<ArrayBuffer> => {
  buildPrograms()
  return new Uint8Array(readFileSync(join(programsFolder, "build", `${name}.wasm`)))
}
