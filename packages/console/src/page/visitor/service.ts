/** What the console asks of the service beside which it is mounted, and shows as it was answered: so it is not asked by a client that reads it. */
import { lostNumber } from "./lostNumber.ts"
import { type Members, membersOf } from "./members.ts"

/** A program to choose, with inputs to begin with as JSON text. */
export interface OfferedProgram {
  readonly name: string
  /** What it is asked for by: its id, or its name, whose meaning may change. */
  readonly programId: string
  /** The id that it has now. */
  readonly meaning: string
  readonly inputs: string
}

/** An answer of the service: its status, and its body as JSON. */
export interface Answered {
  readonly status: number
  readonly body: unknown
  /** The first number of the answer that a page shows with other digits, if there is one. */
  readonly rounded?: string | undefined
}

/** The address beside which the console is mounted, as a path. */
export const base = location.pathname.replace(/\/console$/, "")

/** A proxy in front of the service may answer with a page. */
const bodyOf = (status: number, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`the answer has status ${status} and is no JSON: ${text.slice(0, 200)}`)
  }
}

const ask = async (path: string, key?: string, body?: unknown): Promise<Answered> => {
  const response = await fetch(base + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: bodyOf(response.status, text), rounded: lostNumber(text) }
}

const inputText = (inputs: unknown): string => (inputs === undefined ? "{}" : JSON.stringify(inputs, undefined, 2))

/** The programs that whoever mounted the console offers. Rejects if the service is not reached. */
export const offeredPrograms = async (): Promise<ReadonlyArray<OfferedProgram>> => {
  const { body } = await ask("/console/examples.json")
  return (body as ReadonlyArray<Members>).map(({ execInputs, execProgramId, name }) => ({
    name: String(name),
    programId: String(execProgramId),
    meaning: String(execProgramId),
    inputs: inputText(execInputs)
  }))
}

/** The programs that have a name for this key; none if the service refuses. */
export const namedPrograms = async (key: string): Promise<ReadonlyArray<OfferedProgram>> => {
  const { data } = membersOf((await ask("/programs", key)).body)
  if (!Array.isArray(data)) return []
  return data.map(membersOf).map(({ name, programId }) => ({
    name: String(name),
    programId: String(name),
    meaning: String(programId),
    inputs: "{}"
  }))
}

/** What a person asks for. */
export interface Asked {
  readonly key: string
  readonly programId: string
  readonly inputs: unknown
  readonly flags: ReadonlyArray<string>
}

/** Runs a program. Rejects if the service is not reached, or answers what is no JSON. */
export const execute = ({ flags, inputs, key, programId }: Asked): Promise<Answered> => {
  const query = new URLSearchParams({ encoding: "json", ...Object.fromEntries(flags.map((flag) => [flag, "true"])) })
  return ask(`/execute?${query}`, key, { execProgramId: programId, execInputs: inputs })
}

/** `GET /info`: whose signatures to expect. */
export const serviceInfo = async (): Promise<Members> => membersOf((await ask("/info")).body)
