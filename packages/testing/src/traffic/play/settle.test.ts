/** A run may get its hold after the first look at the credits: a sequence has settled only when nothing is held at two looks in a row. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Session } from "./session.ts"
import { settle } from "./settle.ts"

/** A service of one project that holds these credits at one look after the other, and none after them. */
const sessionHolding = (looks: ReadonlyArray<number>): { readonly session: Session; readonly seen: Array<number> } => {
  const seen: Array<number> = []
  let nowMs = 0
  const session = new Session(
    {
      baseUrl: "http://sibyl.invalid",
      apiKey: "a key",
      clock: {
        nowMs: () => nowMs,
        pass: (ms) => {
          nowMs += ms
          return Promise.resolve()
        }
      },
      wire: {
        ask: () => {
          const held = looks[seen.length] ?? 0
          seen.push(held)
          return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify({ credits: { held: String(held) } }) })
        },
        connect: () => Promise.reject(new Error("no sockets"))
      }
    },
    {}
  )
  session.addKey(0, "a key")
  return { session, seen }
}

test("looks until nothing is held twice in a row, and no longer", async () => {
  const amounts = fc.array(fc.constantFrom(0, 351), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(amounts, async (looks) => {
      const { seen, session } = sessionHolding(looks)
      await settle(session)
      expect(seen.findIndex((held, look) => held === 0 && seen[look + 1] === 0)).toBe(seen.length - 2)
      expect(seen.length).toBeGreaterThan(1)
    })
  )
})
