/** What the laws of the stores need: all stores over one state, fresh for every law. */
import {
  type Accounts,
  type Directory,
  Entropy,
  type Keys,
  type Ledger,
  type Project,
  Provisioning,
  type ResultStore,
  StoreDefect
} from "@sibyl/core"
import { Cause, Effect, Exit, type Layer } from "effect"
import { holdsThat, type LawBroken } from "./law.ts"

/** The stores that share a state. */
export type Stores = Directory | Provisioning | Keys | Accounts | Ledger | ResultStore

/** Makes empty stores. */
export type MakeStores = () => Layer.Layer<Stores>

/** The time at which every law begins, in the middle of most periods: 2025-06-01 12:34:56.789 UTC. */
export const lawStartMs = 1_748_781_296_789

/** A project with a grant of `credits`. */
export const fundedProject = (credits: bigint, usageLimit: Project["usageLimit"] = null): Effect.Effect<Project, never, Provisioning> =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "laws", usageLimit })
    yield* provisioning.grant(project.projectId, credits)
    return project
  }).pipe(Effect.orDie)

/** Holds if `effect` dies of a violation of the contract by the caller, and of nothing else. */
export const isStoreDefect = <A, E, R>(effect: Effect.Effect<A, E, R>, what: string): Effect.Effect<void, LawBroken, R> =>
  Effect.flatMap(Effect.exit(effect), (exit) =>
    holdsThat(
      Exit.isFailure(exit) && [...Cause.defects(exit.cause)].some((defect) => defect instanceof StoreDefect),
      `${what} is a StoreDefect`
    )
  )

/** Random bytes for keys and ids that a law makes itself. */
export const lawBytes = (count: number): Effect.Effect<Uint8Array> =>
  Effect.provide(
    Effect.flatMap(Entropy, (entropy) => entropy.bytes(count)),
    Entropy.layer
  )
