/** The compiled example programs, built if their sources have changed. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** The folder of the programs' sources. */
export const programsFolder = dirname(createRequire(import.meta.url).resolve("@sibyl/programs/package.json"))

/** The time limit of a build, in milliseconds: the compiler needs seconds on a processor that tests share. */
export const buildTimeoutMs = 600_000

/** Builds the programs in a folder, which is this project's own or a copy of it; returns the build's output. */
export const buildPrograms = async (folder: string = programsFolder): Promise<string> => {
  const build = join(programsFolder, "build.mjs")
  return (await promisify(execFile)(process.execPath, [build, "--base", folder])).stdout
}

let built: Promise<string> | undefined

/** The bytes of a program by name. The first call builds the programs if needed. */
export const builtProgram = async (name: string): Promise<Uint8Array<ArrayBuffer>> => {
  await (built ??= buildPrograms())
  return new Uint8Array(await readFile(join(programsFolder, "build", `${name}.wasm`)))
}
