/** The limits that a phase reached, as debug information names them. */
import { grouped } from "../visitor/grouped.ts"
import { membersOf } from "../visitor/members.ts"

/** Each with what it allows; `undefined` if none was reached. A file may have anything in this place. */
export const reachedLimits = (limits: unknown): string | undefined => {
  if (!Array.isArray(limits)) return undefined
  const texts = limits.flatMap((one: unknown) => {
    const { allowed, limit } = membersOf(one)
    if (typeof limit !== "string") return []
    const most = grouped(allowed)
    return [most === undefined ? limit : `${limit} (${most})`]
  })
  return texts.length === 0 ? undefined : texts.join(", ")
}
