/**
 * Builds every program to build/NAME.wasm and prints its id (Keccak-256) and size. A program whose sources have not changed is not built
 * again. The bytes depend only on the sources and the compiler's version, not on their location: paths in a module are relative to the base
 * folder, which is always this one (`--base DIR`: a copy of it).
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import asc from "assemblyscript/asc"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const here = dirname(fileURLToPath(import.meta.url))
const { values: options } = parseArgs({ options: { base: { type: "string", default: here } } })
const base = options.base
const output = join(base, "build")
const manifestFile = join(output, "manifest.json")

const flags = ["--runtime", "stub", "--exportStart", "_start", "-O2", "--use", "abort=sdk/process/abort"]
const compilerVersion = createRequire(import.meta.url)("assemblyscript/package.json").version

/** The AssemblyScript files below a folder, in a stable order. */
const sourcesIn = (folder) =>
  readdirSync(join(base, folder), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file))

/** A digest of everything that determines a program's bytes. */
const digestOf = (program) => {
  const digest = createHash("sha256").update(JSON.stringify([compilerVersion, flags]))
  for (const file of [...sourcesIn("sdk"), ...sourcesIn(program)]) {
    const text = readFileSync(join(base, file))
    digest.update(JSON.stringify([file.replaceAll("\\", "/"), text.length])).update(text)
  }
  return digest.digest("hex")
}

const idOf = (wasm) => bytesToHex(keccak_256(wasm))

/** Replaces a file atomically, so that no reader sees half of it. */
const replaceFile = (file, content) => {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, content)
  renameSync(temporary, file)
}

const compile = async (program) => {
  let wasm
  const { error, stderr } = await asc.main([`${program}/index.ts`, ...flags, "--baseDir", base, "--outFile", `${program}.wasm`], {
    writeFile: (_, content) => {
      wasm = content
    }
  })
  if (error !== null || wasm === undefined) throw new Error(`${program} does not compile:\n${stderr.toString()}`)
  return wasm
}

const programs = readdirSync(base, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "sdk" && existsSync(join(base, entry.name, "index.ts")))
  .map((entry) => entry.name)
  .sort()

mkdirSync(output, { recursive: true })
const before = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, "utf8")) : {}
const manifest = {}
for (const program of programs) {
  const file = join(output, `${program}.wasm`)
  const sources = digestOf(program)
  const known = before[program]
  const isCurrent = known?.sources === sources && existsSync(file) && idOf(readFileSync(file)) === known.id
  if (!isCurrent) replaceFile(file, await compile(program))
  const wasm = readFileSync(file)
  manifest[program] = { id: idOf(wasm), bytes: wasm.length, sources }
  console.log(`${program}  ${manifest[program].id}  ${wasm.length} bytes${isCurrent ? "  up to date" : ""}`)
}
replaceFile(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`)
