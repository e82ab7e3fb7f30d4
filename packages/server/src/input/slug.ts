/** The slug of an organization as people write it. */
import { checkedSlug, slugRule } from "@sibyl/core/internal"
import { Either } from "effect"
import { type Asked, asked } from "./asked.ts"

/** The slug that was given as `field`, an option or an argument. */
export const askedSlug = (field: string, slug: string): Asked<string> =>
  asked(field, slugRule, slug, (given) => Either.getRight(checkedSlug(given)))
