/** Compiles the folder of a program with the AssemblyScript compiler. The bytes do not depend on where the folder is. */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Data, Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"
import { refuseFile } from "./programFiles.ts"

/** The compiler found a mistake in the program. */
export class CompileFailed extends Data.TaggedError("CompileFailed")<{
  readonly message: string
  /** The compiler's own message. */
  readonly compiler: string
}> {}

/** A compiled program. */
export interface Compiled {
  readonly wasm: Uint8Array
  /** The compiler's version, which together with the sources determines the bytes. */
  readonly compilerVersion: string
}

/** The part of the compiler that is used. */
interface Compiler {
  readonly main: (
    args: ReadonlyArray<string>,
    host: {
      readonly readFile: (name: string, baseDir: string) => string | null
      readonly writeFile: (name: string, content: Uint8Array | string) => void
      readonly listFiles: () => ReadonlyArray<string>
    }
  ) => Promise<{ readonly error: Error | null; readonly stderr: { readonly toString: () => string } }>
}

/** The entry file of a program. */
export const entryFile = "index.ts"

const guestSdk = "@sibyl/programs"

// The SDK defines what a failed run-time check does.
const abort = `~lib/${guestSdk}/sdk/process/abort`
// The flags of the example programs.
const flags = ["--runtime", "stub", "--exportStart", "_start", "-O2", "--use", `abort=${abort}`]

/** What the compiler's own message does not say. */
const hintOf = (said: string): string =>
  said.includes(`Element '${abort}' not found`) && said.includes("FAILURE 1 compile error")
    ? `: a program has to import something of ${guestSdk}/sdk/index`
    : ""

const ours = createRequire(import.meta.url)

/** The folder of a package: as the program's folder resolves it, or else as this command does. */
const packageFolder = (folder: string, name: string): string | undefined => {
  // The compiler is a dependency of the SDK's own build.
  const sdk = createRequire(ours.resolve(`${guestSdk}/package.json`))
  const places = [createRequire(join(resolve(folder), entryFile)), ours, sdk]
  for (const place of places) {
    try {
      return dirname(place.resolve(`${name}/package.json`))
    } catch {
      // The next folder may resolve it.
    }
  }
  return undefined
}

/** The compiler searches for a package from the importing folder upwards; only the last part of the path names the file. */
const packageFile = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/

/** Reads the files that the compiler asks for. The module contains the paths it asks by, never those on this disk. */
const sourceReader = (folder: string) => {
  const folders = new Map<string, string | undefined>()
  const folderOf = (name: string): string | undefined => {
    if (!folders.has(name)) folders.set(name, packageFolder(folder, name))
    return folders.get(name)
  }
  return (name: string): string | null => {
    // A compiler configuration beside the program would silently change the bytes.
    if (name === "asconfig.json") return null
    const [, library, rest = ""] = packageFile.exec(name.replaceAll("\\", "/")) ?? []
    const base = library === undefined ? folder : folderOf(library)
    const path = base === undefined ? undefined : join(base, library === undefined ? name : rest)
    return path !== undefined && existsSync(path) ? readFileSync(path, "utf8") : null
  }
}

const loadCompiler = (folder: string) =>
  Effect.gen(function* () {
    const at = packageFolder(folder, "assemblyscript")
    if (at === undefined) {
      return yield* new CommandFailed({
        message: `the AssemblyScript compiler is not installed: run npm install in ${folder}`
      })
    }
    const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as { readonly version: string }
    const loaded = yield* Effect.promise(
      () => import(pathToFileURL(join(at, "dist", "asc.js")).href) as Promise<{ readonly default: Compiler }>
    )
    return { asc: loaded.default, version }
  })

/** Called with a line before each step, because compiling takes seconds and blocks the thread. */
export type Progress = (text: string) => void

/** Adds a name section, and changes nothing else. */
const withNames = "--debug"

const compile = (
  folder: string,
  flags: ReadonlyArray<string>,
  progress: Progress
): Effect.Effect<Compiled, CommandFailed | CompileFailed> =>
  Effect.gen(function* () {
    yield* refuseFile(folder, ", which has its sources in it")
    if (!existsSync(join(folder, entryFile))) {
      return yield* new CommandFailed({ message: `${folder} holds no program: there is no ${entryFile}` })
    }
    const { asc, version } = yield* loadCompiler(folder)
    progress(`compiling ${join(folder, entryFile)} with assemblyscript ${version}`)
    const written: Array<Uint8Array> = []
    const { error, stderr } = yield* Effect.promise(() =>
      // Its message is read below: where CI is set, the compiler would colour it, on any output.
      asc.main([entryFile, ...flags, "--noColors", "--outFile", "program.wasm"], {
        readFile: sourceReader(folder),
        writeFile: (_, content) => {
          if (typeof content !== "string") written.push(content)
        },
        listFiles: () => []
      })
    )
    const [wasm] = written
    if (error !== null || wasm === undefined) {
      const compiler = stderr.toString().trim() || String(error)
      return yield* new CompileFailed({ message: `${folder} does not compile${hintOf(compiler)}`, compiler })
    }
    return { wasm, compilerVersion: version }
  })

/** Compiles `index.ts` of a folder. */
export const compileProgram = (folder: string, progress: Progress = () => {}): Effect.Effect<Compiled, CommandFailed | CompileFailed> =>
  compile(folder, flags, progress)

/** The same module with the names of its functions in it: another id, the same gas. */
export const compileSymbols = (folder: string): Effect.Effect<Uint8Array, CommandFailed | CompileFailed> =>
  Effect.map(
    compile(folder, [...flags, withNames], () => {}),
    ({ wasm }) => wasm
  )
