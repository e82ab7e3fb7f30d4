/** Keys whose owners are remembered. */
import { type Clock, Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { keyRefused } from "../../domain/accounts/authentication.ts"
import type { Principal } from "../../domain/accounts/project.ts"
import { Directory } from "../../ports/directory.ts"
import { Freshness } from "../../ports/freshness.ts"
import { Network } from "../../ports/network.ts"
import { Tickets } from "../../ports/tickets/tickets.ts"
import { Options, resolveOptions } from "../../services/settings/serviceOptions.ts"
import { Authorization } from "./authorization.ts"

const project = {
  projectId: "p",
  organizationId: "o",
  organizationSlug: "acme",
  gasLimits: { exec: 1n, tally: 1n },
  usageLimit: null,
  allowedPrograms: null,
  allowedHosts: null,
  limits: {}
}

const notAsked = () => Effect.die("not asked for")

/** Whoever comes with a key never asks for tickets. */
const noTickets: Context.Tag.Service<Tickets> = { issue: notAsked, use: notAsked, reserve: notAsked, giveBack: notAsked, keep: notAsked }

/** A directory with one key, and a clock, both of which a test changes. */
const makeDirectory = async (expiresAtMs: number | null = null) => {
  const state = { version: 1 as number | undefined, asked: 0, isRevoked: false, nowMs: 1_000 }
  const principal: Principal = { apiKeyId: "k", apiKeyExpiresAtMs: expiresAtMs, project }
  const directory: Context.Tag.Service<Directory> = {
    authenticate: () =>
      Effect.suspend(() => {
        state.asked += 1
        return state.isRevoked ? Effect.fail(keyRefused()) : Effect.succeed(principal)
      }),
    owner: notAsked,
    keys: () => Effect.succeed([]),
    project: () => Effect.succeedNone
  }
  const ports = Layer.mergeAll(
    Layer.succeed(Directory, directory),
    Network.layer({ name: "testnet", chainId: "test" }),
    Layer.succeed(Tickets, noTickets),
    Layer.succeed(Freshness, { version: () => undefined, settings: () => state.version }),
    Layer.succeed(Options, resolveOptions({ network: { name: "testnet", chainId: "test" } }))
  )
  const context = await Effect.runPromise(Effect.scoped(Layer.build(Layer.provide(Authorization.layer, ports))))
  const ofSystem = await Effect.runPromise(Effect.clockWith(Effect.succeed))
  const clock: Clock.Clock = {
    ...ofSystem,
    unsafeCurrentTimeMillis: () => state.nowMs,
    unsafeCurrentTimeNanos: () => BigInt(state.nowMs) * 1_000_000n
  }
  const ask = (header: string | undefined = "Bearer sibyl_1") =>
    Effect.runSync(
      Effect.withClock(
        Effect.match(Context.get(context, Authorization).authorize(header), {
          onFailure: ({ status }) => status,
          onSuccess: ({ apiKeyId }) => apiKeyId
        }),
        clock
      )
    )
  return { ask, state }
}

describe("the owner of a key", () => {
  it("is asked for once while nothing that is configured changes", async () => {
    const { ask, state } = await makeDirectory()
    expect([ask(), ask(), ask("bearer  sibyl_1 "), state.asked]).toEqual(["k", "k", "k", 1])
    expect([ask("Bearer sibyl_2"), state.asked]).toEqual(["k", 2])
    expect([ask("Basic sibyl_1"), ask(""), state.asked]).toEqual([401, 401, 2])
  })

  it("is refused at once after the key was revoked", async () => {
    const { ask, state } = await makeDirectory()
    ask()
    Object.assign(state, { isRevoked: true, version: 2 })
    expect([ask(), ask()]).toEqual([401, 401])
  })

  it("is refused when the key expires, though nothing changes", async () => {
    const { ask, state } = await makeDirectory(1_500)
    state.nowMs = 1_499
    expect(ask()).toBe("k")
    state.nowMs = 1_500
    expect(ask()).toBe(401)
  })

  it("is asked for again after ten seconds, so that the last use of the key is noted", async () => {
    const { ask, state } = await makeDirectory()
    ask()
    state.nowMs += 9_999
    expect([ask(), state.asked]).toEqual(["k", 1])
    state.nowMs += 1
    expect([ask(), ask(), state.asked]).toEqual(["k", "k", 2])
  })

  it("is asked for each time if the stores cannot tell whether they have changed", async () => {
    const { ask, state } = await makeDirectory()
    state.version = undefined
    expect([ask(), ask(), state.asked]).toEqual(["k", "k", 2])
  })
})
