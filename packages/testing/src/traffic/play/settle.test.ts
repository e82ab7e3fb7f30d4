/** A run may get its hold after the first look at the credits: a sequence has settled only when nothing is held at two looks in a row. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Session } from "./session.ts"
import type { WireRequest } from "./trafficWire.ts"
import { askForTheRest, settle } from "./settle.ts"

/** Asks a service without sockets and counts its time. */
const sessionWith = (answer: (request: WireRequest) => unknown): Session => {
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
        ask: (request) => Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(answer(request)) }),
        connect: () => Promise.reject(new Error("no sockets"))
      }
    },
    {}
  )
  session.addKey(0, "a key")
  return session
}

/** A service of one project that holds these credits at one look after the other, and none after them. */
const sessionHolding = (looks: ReadonlyArray<number>): { readonly session: Session; readonly seen: Array<number> } => {
  const seen: Array<number> = []
  const session = sessionWith(() => {
    const held = looks[seen.length] ?? 0
    seen.push(held)
    return { credits: { held: String(held) } }
  })
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

describe("the reports at the end", () => {
  /** Asks for the reports of one data request, and says what each page was asked for. */
  const pagesOf = async (nextPageId: (page: number, amount: number) => string | undefined) => {
    const pages: Array<{ readonly page: string | null; readonly amount: number }> = []
    const session = sessionWith(({ path }) => {
      if (!path.startsWith("/data-request-reports")) return {}
      const query = new URLSearchParams(path.slice(path.indexOf("?")))
      const page = query.get("nextPageId")
      const amount = Number(query.get("amount"))
      pages.push({ page, amount })
      return { nextPageId: nextPageId(Number(page ?? 0), amount) }
    })
    await askForTheRest(session, () => ["a".repeat(64)])
    return pages
  }

  test("are read to their end, however many there are", async () => {
    const runs = 20_000
    const pages = await pagesOf((from, amount) => (from + amount < runs ? String(from + amount) : undefined))
    expect(pages[0]).toEqual({ page: null, amount: 7 })
    const last = pages.at(-1)
    expect(Number(last?.page) + (last?.amount ?? 0)).toBeGreaterThanOrEqual(runs)
    expect(pages.filter(({ amount }) => amount < 100).length).toBeGreaterThan(1)
  })

  test("are left when a page comes again", async () => {
    const pages = await pagesOf((page) => String((page + 1) % 3))
    expect(pages.map(({ page }) => page)).toEqual([null, "1", "2", "0"])
  })

  test("are left when they have no end", async () => {
    expect((await pagesOf((page) => String(page + 1))).length).toBe(500)
  })
})
