/** A program's name: which program it means, for every project or for one, and since when. */
import { Either } from "effect"
import { hexIdRule, readHexId } from "../../contract/hexId.ts"
import { isProgramName, programNameRule } from "../../contract/programName.ts"
import { InvalidSetting } from "../settings/invalidSetting.ts"

/** The owner of a name: a project's id, or `null` for the service's names, which every project may use. */
export type NameOwner = string | null

/** A name and the program that it means. */
export interface NamedProgram {
  readonly name: string
  readonly owner: NameOwner
  /** 64 lowercase hex characters. */
  readonly programId: string
  /** Since when it means this program, in ms since the Unix epoch. */
  readonly sinceMs: number
}

/** An entry in a name's history; `programId` is `null` where the name was removed. */
export interface NameChange extends Omit<NamedProgram, "programId"> {
  readonly programId: string | null
}

/** An operator's input: the id may have any form of decision D7. */
export type ProgramNameInput = Omit<NamedProgram, "sinceMs">

const refuse = (field: string, rule: string) => Either.left(new InvalidSetting({ field, rule }))

/** The input with its id normalized, or the rule that it breaks. */
export const checkedProgramName = ({ name, owner, programId }: ProgramNameInput): Either.Either<ProgramNameInput, InvalidSetting> => {
  if (!isProgramName(name)) return refuse("name", programNameRule)
  const id = readHexId(programId)
  return id === undefined ? refuse("programId", hexIdRule) : Either.right({ name, owner, programId: id })
}

/** Orders by name, then the service's before a project's. */
export const byNameAndOwner = (left: Pick<ProgramNameInput, "name" | "owner">, right: Pick<ProgramNameInput, "name" | "owner">): number =>
  compare(left.name, right.name) || compare(left.owner ?? "", right.owner ?? "")

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right))

/** The names that a project can use, each once: its own name hides the service's. Sorted by name. */
export const namesInForce = (names: ReadonlyArray<NamedProgram>): ReadonlyArray<NamedProgram> => [
  ...new Map([...names].sort(byNameAndOwner).map((named) => [named.name, named])).values()
]
