/** Program names, as `sibyl program name`, `unname` and `names` give, remove and list them. */
import { type NameChange, type NameOwner, ProgramNames } from "@sibyl/core"
import { isProgramName, programNameRule, readHexId } from "@sibyl/core/internal"
import { Effect, Option } from "effect"
import { asked } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { type Column, table } from "../output/table.ts"
import { giveName } from "../service/giveName.ts"

/** The owner of a name: the project given by an option, else the service. */
export const ownerOf = (project: Option.Option<string>): NameOwner => Option.getOrNull(project)

const ownerText = (owner: NameOwner): string => owner ?? "every project"

const documentOf = ({ name, owner, programId, sinceMs }: NameChange) => ({
  name,
  programId,
  projectId: owner,
  since: momentText(sinceMs)
})

const columns: ReadonlyArray<Column<NameChange>> = [
  { head: "name", cell: ({ name }, paint) => paint("bold", name) },
  { head: "program", cell: ({ programId }, paint) => programId ?? paint("dim", "taken away") },
  { head: "for", cell: ({ owner }) => ownerText(owner) },
  { head: "since", cell: ({ sinceMs }) => momentText(sinceMs) }
]

const readName = (text: string) => asked("<name>", programNameRule.replace(/^must be /, ""), text, Option.liftPredicate(isProgramName))

const readProgramId = (text: string) =>
  asked("<program>", "64 hex characters, with or without 0x", text, (given) => Option.fromNullable(readHexId(given)))

/** Names a program. */
export const nameProgram = (nameText: string, programText: string, project: Option.Option<string>) =>
  Effect.gen(function* () {
    const name = yield* readName(nameText)
    const named = yield* giveName(name, yield* readProgramId(programText), ownerOf(project))
    const answer: Answer = { document: documentOf(named), lines: (paint) => table([named], columns, "", paint) }
    return answer
  })

/** Removes a name. */
export const unnameProgram = (nameText: string, project: Option.Option<string>) =>
  Effect.gen(function* () {
    const name = yield* readName(nameText)
    const owner = ownerOf(project)
    const removed = yield* Effect.flatMap(ProgramNames, (names) => names.take(owner, name))
    if (!removed) {
      return yield* new CommandFailed({ message: `no program has the name ${name} for ${ownerText(owner)}` })
    }
    const answer: Answer = { document: { name, projectId: owner, removed }, lines: () => [`the name ${name} is taken away`] }
    return answer
  })

/** Lists every name, or the history of all names, oldest first. */
export const listNames = (withHistory: boolean) =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    const told = yield* withHistory ? names.history() : names.list()
    const answer: Answer = {
      document: { names: told.map(documentOf) },
      lines: (paint) => table(told, columns, "no names yet: sibyl program name gives one", paint)
    }
    return answer
  })

const referenceRule = "64 hex characters, with or without 0x, or a program's name such as v1.prices.acme"

/** Resolves a program's id or name (of the service or of this project), given as `field`, to an id. */
export const programIdOfWord = (field: string, word: string, projectId: string | undefined) =>
  Effect.gen(function* () {
    if (!isProgramName(word)) return yield* asked(field, referenceRule, word, (given) => Option.fromNullable(readHexId(given)))
    const found = yield* Effect.flatMap(ProgramNames, (names) => names.find(projectId ?? "", word))
    return yield* Effect.mapError(found, () => new CommandFailed({ message: `no program has the name ${word}` }))
  })
