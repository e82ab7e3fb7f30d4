/** `sibyl build`: from a program's folder to its module. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../../output/answer.ts"
import type { CommandFailed } from "../../output/failure.ts"
import { isColoured, paintFor, withoutColours } from "../../output/paint.ts"
import type { CompileFailed, Progress } from "../../programs/compileProgram.ts"
import { jsonOption } from "../settingOptions.ts"

/** The folder of a program; default: the current folder. */
export const folderArgument = Args.text({ name: "folder" }).pipe(
  Args.withDescription("the program's folder (default: this one)"),
  Args.withDefault(".")
)

/** People see the compiler's output directly; scripts find it in the failure document. */
export const showingCompiler = <A, E, R>(
  effect: Effect.Effect<A, E | CommandFailed | CompileFailed, R>,
  json: boolean
): Effect.Effect<A, E | CommandFailed | CompileFailed, R> =>
  Effect.tapError(effect, (error) =>
    Effect.sync(() => {
      const said = error instanceof Error && "compiler" in error ? error.compiler : undefined
      if (json || typeof said !== "string") return
      // The compiler has its own rule for colours: it also colours a pipe if `CI` is set.
      process.stderr.write(`${isColoured(process.stderr) ? said : withoutColours(said)}\n`)
    })
  )

/** Progress goes to stderr for people; scripts get nothing until the end. */
const progressOf = (json: boolean): Progress | undefined =>
  json ? undefined : (text) => void process.stderr.write(`${paintFor(process.stderr)("dim", text)}\n`)

/** The command. */
export const buildCommand = Command.make("build", { folder: folderArgument, json: jsonOption }, ({ folder, json }) =>
  Effect.gen(function* () {
    const { buildProgram } = yield* Effect.promise(() => import("../../programs/buildProgram.ts"))
    yield* show(yield* showingCompiler(buildProgram(folder, progressOf(json)), json), json)
  })
).pipe(Command.withDescription("Compile a program and print its id. The same sources give the same id anywhere."))
