/** Laws that are asked for in a wrong way say so. */
import { Entropy, InvalidOption, layerMemoryStores, ProgramStore } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as kit from "../../index.ts"

type AnyLaws = (make: unknown) => ReadonlyArray<kit.Law> | Readonly<Record<string, ReadonlyArray<kit.Law>>>

const lawLists = Object.entries(kit)
  .filter(([name]) => name.endsWith("Laws"))
  .map(([name, laws]) => ({ name, laws: laws as unknown as AnyLaws }))

const refusal = (use: () => unknown): unknown => {
  try {
    return use()
  } catch (cause) {
    return cause
  }
}

describe("what makes the layers of laws", () => {
  it.each(lawLists)("$name refuses a layer in its place, and nothing at all, at once", ({ name, laws }) => {
    const isOfRelays = name === "feedRelayLaws"
    const rule = isOfRelays ? "must be an effect that connects two new relays" : "must be a function that makes a new layer for each law"
    for (const wrong of [Layer.provide(layerMemoryStores, Entropy.layer), undefined]) {
      const cause = refusal(() => laws(isOfRelays ? () => wrong : wrong))
      expect(cause).toBeInstanceOf(InvalidOption)
      expect((cause as InvalidOption).rule).toContain(rule)
    }
  })

  it.each(lawLists.filter(({ name }) => name !== "feedRelayLaws"))("a law of $name tells of what is no layer", async ({ laws }) => {
    const listed = laws(async () => ProgramStore.layerMemory)
    const all = Array.isArray(listed) ? (listed as ReadonlyArray<kit.Law>) : Object.values(listed).flat()
    for (const { run } of all) {
      await expect(Effect.runPromise(run)).rejects.toThrow("make: must return a layer of effect; what it returned is a promise")
    }
  })
})

it.each([
  ["an error of its own", new Error("the disk is full"), "the disk is full"],
  ["a text", "no", "an unexpected failure: 'no'"],
  ["nothing", undefined, "an unexpected failure: undefined"],
  ["a tagged error", { _tag: "Full" }, "an unexpected Full"]
])("an implementation that fails with %s breaks the law, which tells it", async (_, failure, told) => {
  const failing = { put: () => Effect.fail(failure), get: () => Effect.fail(failure), list: Effect.fail(failure) }
  const laws = kit.programStoreLaws(() => Layer.succeed(ProgramStore, failing as never))
  for (const { run } of laws) {
    const broken = await Effect.runPromise(Effect.flip(run))
    expect(broken).toBeInstanceOf(kit.LawBroken)
    expect(broken.message).toContain(told)
  }
})
