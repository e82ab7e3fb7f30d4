/** Finds the signed part of a response, in every form it is sent in, and the copies that clients may read instead. */
import { memberOf } from "./jsonValue.ts"

/** A value outside of the signed part that repeats one inside. */
export interface Copy {
  /** Its path. */
  readonly field: string
  /** Which value it repeats; `result` may be in any encoding. */
  readonly of: "dataRequest" | "dataResult" | "signature" | "result" | "drId" | "exitCode" | "gasUsed"
  readonly shown: unknown
}

/** The signed part, unparsed, and its copies. */
export interface SignedParts {
  readonly dataRequest: unknown
  readonly dataResult: unknown
  readonly signature: unknown
  readonly copies: ReadonlyArray<Copy>
}

const signedNames = ["dataRequest", "dataResult", "signature"] as const
const entryNames = ["drId", "exitCode", "gasUsed"] as const

const copiesOf = (value: unknown, place: string, names: ReadonlyArray<Copy["of"]>): ReadonlyArray<Copy> =>
  names.flatMap((name) => {
    const shown = memberOf(value, name)
    return shown === undefined ? [] : [{ field: `${place}${name}`, of: name, shown }]
  })

/** A bare record: `data` of a response, or an entry of the history, which repeats three fields of its result. */
const bareParts = (value: unknown): SignedParts => ({
  dataRequest: memberOf(value, "dataRequest"),
  dataResult: memberOf(value, "dataResult"),
  signature: memberOf(value, "signature"),
  copies: copiesOf(value, "", ["result", ...entryNames])
})

/** An envelope: each signed value is inside `data` or beside it; if both, the outer one is a copy. */
const envelopeParts = (value: unknown, data: unknown): SignedParts => {
  const inside = signedNames.filter((name) => memberOf(data, name) !== undefined)
  const signed = (name: (typeof signedNames)[number]) => memberOf(inside.includes(name) ? data : value, name)
  return {
    dataRequest: signed("dataRequest"),
    dataResult: signed("dataResult"),
    signature: signed("signature"),
    copies: [...copiesOf(data, "data.", ["result"]), ...copiesOf(value, "", [...inside, "result"])]
  }
}

/** The content of a WebSocket message: the params of a `feed.result`, then its result or error. */
const carriedBy = (value: unknown): unknown => {
  const params = memberOf(value, "params")
  if (params !== undefined) return memberOf(value, "method") === "feed.result" ? params : undefined
  const [result, error] = [memberOf(value, "result"), memberOf(value, "error")]
  return result === undefined ? error : error === undefined ? result : undefined
}

/**
 * The signed part of an execute response, of its `data`, of a report entry, of a `feed.result` (the message, its params, or the result or
 * error in them) or of a JSON-RPC reply; `undefined` if it is none of these.
 */
export const signedPartsOf = (response: unknown): SignedParts | undefined => {
  let value = response
  for (let depth = 0; depth < 3; depth += 1) {
    const data = memberOf(value, "data")
    const beside = memberOf(value, "dataResult") !== undefined
    if (data === undefined && beside) return bareParts(value)
    // If there is a `data`, nothing beside it is used: a reader of `data` would otherwise use another record than the checked one.
    if (data !== undefined) {
      return beside || memberOf(data, "dataResult") !== undefined ? envelopeParts(value, data) : undefined
    }
    value = carriedBy(value)
  }
  return undefined
}
