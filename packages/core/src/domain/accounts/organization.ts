/** An organization, which owns projects. */
import { Either } from "effect"
import { InvalidSetting } from "../settings/invalidSetting.ts"

/** One organization. Operators and clients identify it by its slug. */
export interface Organization {
  readonly organizationId: string
  readonly organizationSlug: string
  readonly name: string | null
  readonly createdAtMs: number
}

const slugForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The rule of a slug; completes "must be". */
export const slugRule = "1 to 63 of a-z, 0-9 and hyphens, with no hyphen at its ends"

// A pattern takes a missing slug for the text "undefined".
const isSlug = (slug: unknown): boolean => typeof slug === "string" && slugForm.test(slug)

/** The slug, if it has the form of a DNS label, so that it can be used in URLs and file names. */
export const checkedSlug = (slug: string): Either.Either<string, InvalidSetting> =>
  isSlug(slug)
    ? Either.right(slug)
    : Either.left(
        new InvalidSetting({
          field: "organizationSlug",
          rule: `must be ${slugRule}`
        })
      )
