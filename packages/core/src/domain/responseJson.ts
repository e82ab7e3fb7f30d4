/** Writing a response as compact JSON with parts that are JSON already. */

/** Text that is valid JSON and is written as it stands. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a response is made of. Members that are `undefined` are left out. */
export type ResponseValue =
  | null
  | boolean
  | number
  | string
  | RawJson
  | ReadonlyArray<ResponseValue>
  | { readonly [name: string]: ResponseValue | undefined }

const isList = (value: ResponseValue): value is ReadonlyArray<ResponseValue> => Array.isArray(value)

const holdsRawJson = (value: ResponseValue | undefined): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (value instanceof RawJson) return true
  return isList(value) ? value.some(holdsRawJson) : Object.values(value).some(holdsRawJson)
}

/** Compact JSON in the order of the members. */
export const writeResponse = (value: ResponseValue): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (value instanceof RawJson) return value.text
  // The engine's own writer is three times as fast and does the same, except for text that is JSON already.
  if (!holdsRawJson(value)) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(writeResponse).join(",")}]`
  const members: Array<string> = []
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${writeResponse(member)}`)
  }
  return `{${members.join(",")}}`
}
