/** What a program's name means, for everybody or for one project, and since when. */
import { Either } from "effect"
import { hexIdRule, readHexId } from "../../contract/hexId.ts"
import { isProgramName, programNameRule } from "../../contract/programName.ts"
import { InvalidSetting } from "../settings/invalidSetting.ts"

/** Whose name it is: a project's id, or `null` for the service's, which every project may use. */
export type NameOwner = string | null

/** A name and what it stands for. */
export interface NamedProgram {
  readonly name: string
  readonly owner: NameOwner
  /** 64 lowercase hex characters. */
  readonly programId: string
  /** From when on it means this program, in ms since 1970. */
  readonly sinceMs: number
}

/** One line of a name's history; `programId` is `null` where the name was taken away. */
export interface NameChange extends Omit<NamedProgram, "programId"> {
  readonly programId: string | null
}

/** What an operator says: the id may be written in any form of decision D7. */
export type ProgramNameInput = Omit<NamedProgram, "sinceMs">

const refuse = (field: string, rule: string) => Either.left(new InvalidSetting({ field, rule }))

/** The input with its id in the one spelling, or the rule that it breaks. */
export const checkedProgramName = ({ name, owner, programId }: ProgramNameInput): Either.Either<ProgramNameInput, InvalidSetting> => {
  if (!isProgramName(name)) return refuse("name", programNameRule)
  const id = readHexId(programId)
  return id === undefined ? refuse("programId", hexIdRule) : Either.right({ name, owner, programId: id })
}

/** By name, the service's before a project's of the same name. */
export const byNameAndOwner = (left: Pick<ProgramNameInput, "name" | "owner">, right: Pick<ProgramNameInput, "name" | "owner">): number =>
  compare(left.name, right.name) || compare(left.owner ?? "", right.owner ?? "")

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right))

/** Of the names that a project could use, each once: its own hides the service's. By name. */
export const namesInForce = (names: ReadonlyArray<NamedProgram>): ReadonlyArray<NamedProgram> => [
  ...new Map([...names].sort(byNameAndOwner).map((named) => [named.name, named])).values()
]
