/** A seeded fault of a service, and the ways to make one: changes to requests and responses in transit. */

/** A response in transit, open to change. */
export interface Passing {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One fault: how it changes requests or responses. */
export interface RestFault {
  readonly name: string
  /** The audit that must fail. */
  readonly foundBy: string
  readonly request?: (url: URL) => void
  /** Changes the headers of a request; `body` is what is sent with them. */
  readonly headers?: (headers: Headers, body: string) => void
  readonly body?: (text: string) => string
  readonly answer?: (passing: Passing, url: URL) => Passing
}

/** A JSON object, open to change. */
export type Members = Record<string, unknown>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null

/** The path of an execution's record. */
export const data = ["data"] as const
/** The path of its outcome. */
export const dataResult = ["data", "dataResult"] as const

/** Changes the JSON of a response in place. */
export const edited =
  (change: (json: Members, url: URL) => void): NonNullable<RestFault["answer"]> =>
  (passing, url) => {
    if (!passing.text.startsWith("{")) return passing
    const json = JSON.parse(passing.text) as Members
    change(json, url)
    return { ...passing, text: JSON.stringify(json) }
  }

/** Changes the members of one object inside the response, if it is there. */
export const editedAt = (path: ReadonlyArray<string>, change: (members: Members) => void): NonNullable<RestFault["answer"]> =>
  edited((json) => {
    let place: unknown = json
    for (const name of path) place = isMembers(place) ? place[name] : undefined
    if (isMembers(place)) change(place)
  })

/** Changes the text of a response. */
export const rewritten =
  (change: (text: string) => string): NonNullable<RestFault["answer"]> =>
  (passing) => ({
    ...passing,
    text: change(passing.text)
  })

/** Removes a header. */
export const withoutHeader =
  (name: string): NonNullable<RestFault["answer"]> =>
  (passing) => {
    passing.headers.delete(name)
    return passing
  }

/** Replaces one status by another. */
export const withStatus =
  (from: number, to: number): NonNullable<RestFault["answer"]> =>
  (passing) =>
    passing.status === from ? { ...passing, status: to } : passing

/** Replaces one status by another on one path. */
export const withStatusAt =
  (path: string, from: number, to: number): NonNullable<RestFault["answer"]> =>
  (passing, url) =>
    url.pathname.endsWith(path) && passing.status === from ? { ...passing, status: to } : passing

/** Sets or removes a parameter in the query of an execution. */
export const withParameter =
  (name: string, value: string | undefined): NonNullable<RestFault["request"]> =>
  (url) => {
    if (value === undefined) url.searchParams.delete(name)
    else if (url.searchParams.has("execProgramId")) url.searchParams.set(name, value)
  }

/** Changes the members of a body if it is a JSON object. */
export const bodyEdited =
  (change: (members: Members) => void): NonNullable<RestFault["body"]> =>
  (text) => {
    const members: unknown = text.startsWith("{") ? JSON.parse(text) : undefined
    if (!isMembers(members)) return text
    change(members)
    return JSON.stringify(members)
  }

/** Adds a header to every response. */
export const withHeader =
  (name: string, value: string): NonNullable<RestFault["answer"]> =>
  (passing) => {
    passing.headers.set(name, value)
    return passing
  }

/** A fault by which no two runs report the same gas. */
export const unsteady = (): NonNullable<RestFault["answer"]> => {
  let more = 0
  return editedAt(dataResult, (members) => {
    more += 1
    members["gasUsed"] = String(BigInt(String(members["gasUsed"])) + BigInt(more))
  })
}

/** Reverses the order of an object's members. */
export const reversed = (members: Members): void => {
  for (const [name, value] of Object.entries(members).toReversed()) {
    delete members[name]
    members[name] = value
  }
}

/** A service that gives each caller the response of the previous caller. */
export const crossed = (): NonNullable<RestFault["answer"]> => {
  let previous = ""
  return (passing) => {
    const text = previous === "" ? passing.text : previous
    previous = passing.text
    return { ...passing, text }
  }
}
