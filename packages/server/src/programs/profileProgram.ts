/** Runs a program once and tells where its gas went: a table, and a flame graph in a file. */
import { basename, join, resolve } from "node:path"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { refusedValue } from "../input/asked.ts"
import { flameGraph } from "./flameGraph.ts"
import { profileAnswer } from "./profileAnswer.ts"
import { isFolder, writeProgramFile } from "./programFiles.ts"
import { runProgram, type RunProgramOptions } from "./runProgram.ts"

const ending = ".speedscope.json"

/** Beside the module, whatever it is called; for a folder, where its module would be built. */
const defaultFile = (file: string) =>
  Effect.map(isFolder(file), (isOne) =>
    isOne ? join(file, "build", `${basename(resolve(file))}${ending}`) : `${file.replace(/\.wasm$/, "")}${ending}`
  )

/** Runs it, writes the flame graph to `output`, and answers with the run. */
export const profileProgram = (options: RunProgramOptions, output: string | undefined, configuration: Configuration) =>
  Effect.gen(function* () {
    if (output !== undefined && !output.endsWith(".json")) return yield* refusedValue("--output", "a file that ends in .json", output)
    const run = yield* runProgram({ ...options, profile: true }, configuration)
    const graph = flameGraph(basename(resolve(options.file)), run.outcome.profiles)
    const file = graph.profiles.length === 0 ? null : (output ?? (yield* defaultFile(options.file)))
    if (file !== null) yield* writeProgramFile(file, `${JSON.stringify(graph)}\n`)
    return { run, answer: profileAnswer(run.outcome, file) }
  })
