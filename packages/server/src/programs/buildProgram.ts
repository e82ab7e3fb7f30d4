/** Builds a program: its module in `build/NAME.wasm`, its id beside it, and what deploying would find in it. */
import { basename, join, resolve } from "node:path"
import { programIdOf } from "@sibyl/core"
import { Effect } from "effect"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import { fields } from "../output/table.ts"
import { compileProgram, type Progress } from "./compileProgram.ts"
import { findingLines, findingsOf } from "./programChecks.ts"
import { writeProgramFile } from "./programFiles.ts"

/** Compiles the program in a folder and writes its module. */
export const buildProgram = (folder: string, progress?: Progress) =>
  Effect.gen(function* () {
    const { compilerVersion, wasm } = yield* compileProgram(folder, progress)
    const programId = programIdOf(wasm)
    const file = join(folder, "build", `${basename(resolve(folder))}.wasm`)
    yield* writeProgramFile(file, wasm)
    yield* writeProgramFile(file.replace(/wasm$/, "id"), `${programId}\n`)
    const findings = yield* findingsOf(wasm)
    const compiler = `assemblyscript ${compilerVersion}`
    const answer: Answer = {
      document: { programId, sizeBytes: wasm.length, file: resolve(file), compiler, findings },
      lines: (paint) => [
        ...fields(
          [
            ["program", paint("bold", programId)],
            ["size", `${amountText(BigInt(wasm.length))} bytes`],
            ["file", file],
            ["compiler", compiler]
          ],
          paint
        ),
        ...findingLines(findings, paint)
      ]
    }
    return answer
  })
