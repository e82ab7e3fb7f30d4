/** Compiles the kernels. */
import asc from "assemblyscript/asc"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("kernels/", import.meta.url))
const flags = ["--runtime", "stub", "--exportStart", "_start", "-O3", "--noAssert", "--use", "abort=host/abort"]

/** The names of all kernels. */
export const kernelNames = readdirSync(folder)
  .map((file) => file.replace(/\.ts$/, ""))
  .filter((name) => name !== "host" && name !== "tsconfig.json")

/** The module of a kernel. */
export const compileKernel = async (name) => {
  let wasm
  const { error } = await asc.main([`${name}.ts`, ...flags, "--baseDir", folder, "--outFile", `${name}.wasm`], {
    writeFile: (_, content) => {
      wasm = content
    }
  })
  if (error !== null || wasm === undefined) throw new Error(`${name} does not compile`, { cause: error })
  return Uint8Array.from(wasm)
}
