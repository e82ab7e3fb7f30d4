/** What the stores answered is remembered until their settings change. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { SettingsMemory } from "./settingsMemory.ts"

/** A memory over one value of the stores, and how often they were asked for it. */
const memoryOf = (stores: { version: number | undefined; value: string; asked: number }) => {
  const memory = new SettingsMemory<{ readonly value: string }>({ settings: () => stores.version }, new RecentMap(8))
  const ask = Effect.sync(() => {
    stores.asked += 1
    return { value: stores.value }
  })
  return { memory, ask, read: (name = "name") => Effect.runSync(memory.around(name, () => ask)).value }
}

describe("a remembered answer", () => {
  it("is given again while the version is the same, by its name", () => {
    const stores = { version: 1, value: "first", asked: 0 }
    const { read } = memoryOf(stores)
    expect([read(), read(), read("other"), read(), stores.asked]).toEqual(["first", "first", "first", "first", 2])
  })

  it("is asked for anew after any change, also when a version comes back later", () => {
    const stores = { version: 1, value: "first", asked: 0 }
    const { read } = memoryOf(stores)
    read()
    Object.assign(stores, { version: 2, value: "second" })
    expect(read()).toBe("second")
    Object.assign(stores, { version: 1, value: "third" })
    expect([read(), stores.asked]).toEqual(["third", 3])
  })

  it("is not kept if the stores cannot tell whether they have changed", () => {
    const stores = { version: undefined, value: "first", asked: 0 }
    const { read } = memoryOf(stores)
    expect([read(), read(), stores.asked]).toEqual(["first", "first", 2])
  })

  it("is not kept if the settings change while it is asked for", async () => {
    const stores = { version: 1, value: "old", asked: 0 }
    const { memory, read } = memoryOf(stores)
    const slow = await Effect.runPromise(Deferred.make<{ readonly value: string }>())
    const asking = Effect.runFork(memory.around("name", () => Deferred.await(slow)))
    await new Promise((resolve) => setImmediate(resolve))
    Object.assign(stores, { version: 2, value: "new" })
    expect(read()).toBe("new")
    Effect.runSync(Deferred.succeed(slow, { value: "old" }))
    expect((await Effect.runPromise(Fiber.join(asking))).value).toBe("old")
    expect(read()).toBe("new")
  })

  it("is not kept if it is a failure", () => {
    const stores = { version: 1, value: "first", asked: 0 }
    const { memory, read } = memoryOf(stores)
    expect(Effect.runSync(Effect.flip(memory.around("name", () => Effect.fail("no"))))).toBe("no")
    expect(read()).toBe("first")
  })
})
