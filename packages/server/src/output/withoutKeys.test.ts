/** No key and no ticket gets onto a screen or into a log. */
import { expect, it } from "vitest"
import { withoutKeys } from "./withoutKeys.ts"

const secret = "ab".repeat(24)

it("keys and tickets are cut after their ids, wherever they stand, also mistyped ones", () => {
  const key = `sibyl_local_0123456789ab_${secret}01234567`
  const ticket = `sibylt_my-net_0123456789abcdef_${secret}01234567`
  expect(withoutKeys(`Bearer ${key}, sibyl.ticket.${ticket}; ${ticket.slice(0, -3)}`)).toBe(
    "Bearer sibyl_local_0123456789ab_<secret>, sibyl.ticket.sibylt_my-net_0123456789abcdef_<secret>; sibylt_my-net_0123456789abcdef_<secret>"
  )
})
