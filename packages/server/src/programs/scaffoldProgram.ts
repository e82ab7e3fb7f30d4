/** Makes the folder of a new program: its source, golden cases, and what an editor and npm need. */
import { basename, join, resolve } from "node:path"
import { Effect } from "effect"
import type { Answer } from "../output/answer.ts"
import { refusedValue } from "../input/asked.ts"
import { CommandFailed } from "../output/failure.ts"
import { newProgramFiles } from "./templates/newProgramFiles.ts"
import { namesIn, refuseFile, writeProgramFile } from "./programFiles.ts"

/** A valid package name for npm that is also a valid folder name on any file system. */
const form = /^[a-z][a-z0-9-]{0,62}$/

/** Writes the files into a folder that is new or empty. */
export const scaffoldProgram = (folder: string) =>
  Effect.gen(function* () {
    const name = basename(resolve(folder))
    if (!form.test(name)) {
      return yield* refusedValue("<folder>", "named with a-z, 0-9 and -, beginning with a letter", name)
    }
    yield* refuseFile(folder)
    const there = yield* namesIn(folder)
    if (there.length > 0) return yield* new CommandFailed({ message: `${folder} is there already, and not empty` })
    const files = newProgramFiles(name)
    for (const [path, text] of files) yield* writeProgramFile(join(folder, path), text)
    const answer: Answer = {
      document: { name, folder: resolve(folder), files: files.map(([path]) => path) },
      lines: (paint) => [
        `${paint("bold", name)} is in ${folder}`,
        ...files.map(([path]) => `  ${paint("dim", path)}`),
        "",
        "Next:",
        `  sibyl build ${folder}`,
        `  sibyl test ${folder}`,
        `  sibyl run ${join(folder, "build", `${name}.wasm`)} --inputs '{}'`
      ]
    }
    return answer
  })
