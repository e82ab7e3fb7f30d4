/** A look at a net from outside: the NATS server, and the executors that tell of themselves. */
import { Clock, Effect, Either } from "effect"
import { Channel } from "../channel/channel.ts"
import { NatsConnection, type NatsServerFacts } from "../connection/natsConnection.ts"
import type { NatsSilent } from "../connection/natsErrors.ts"
import { beatCodec } from "../contract/codec.ts"
import { beatSubject, contractVersion } from "../contract/subjects.ts"
import { type NetRole, tryRoleSubjects } from "./roleSubjects.ts"

/** An executor as it tells of itself. */
export interface SeenExecutor {
  readonly id: string
  readonly zone: string
  /** Runs that it would take. */
  readonly free: number
  /** Present where it takes none, whatever ends: it ends itself, or is cut off from orders. */
  readonly takesNone?: true
  /** Its virtual machine. */
  readonly engine: string
  /** Of its packages. */
  readonly version: string
  /** Whether it and this process have a contract in common. */
  readonly isUnderstood: boolean
  /** How far its clock is ahead of ours, in ms, the way of the message left aside; negative: behind. Absent if it does not tell. */
  readonly clockAheadMs?: number
}

/** What was seen. */
export interface NetSurvey {
  readonly server: NatsServerFacts
  /** The least of a few, in ms. */
  readonly roundTripMs: number
  readonly executors: ReadonlyArray<SeenExecutor>
  /** Versions of the contract that other executors speak, which this process does not understand: nothing else is known of them. */
  readonly otherVersions: ReadonlyArray<number>
  /** Whether this user may hear executors; if not, none was seen. */
  readonly mayHear: boolean
  /** What this user would need in its role and may not, such as `publish to sibyl.run.default`. */
  readonly refused: ReadonlyArray<string>
}

const roundTrips = 5
const noName = new Uint8Array(16)

const roundTripMs = (connection: NatsConnection["Type"]): Effect.Effect<number, NatsSilent> =>
  Effect.gen(function* () {
    let leastNs = Number.POSITIVE_INFINITY
    for (let trip = 0; trip < roundTrips; trip += 1) {
      const beforeNs = yield* Clock.currentTimeNanos
      yield* connection.flushed
      leastNs = Math.min(leastNs, Number((yield* Clock.currentTimeNanos) - beforeNs))
    }
    return leastNs / 1e6
  })

/**
 * Tries the subjects of a role, and listens for it to the executors of a net for a while: each of them tells of itself every 200 ms. An
 * executor hears no others, and so its survey sees none.
 */
export const surveyNet = (net: string, forMs: number, role: NetRole = "edge"): Effect.Effect<NetSurvey, NatsSilent, NatsConnection> =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* NatsConnection
      const clock = yield* Effect.clock
      const nowMs = () => clock.unsafeCurrentTimeMillis()
      const versions = new Set<number>()
      const seen = new Map<string, SeenExecutor>()
      const heard = (body: Uint8Array): void => {
        const beat = beatCodec.decode(body)
        if (Either.isLeft(beat)) return
        const { atMs, contracts, engine, free, id, takesNone, version, zone } = beat.right
        const isUnderstood = contracts.includes(contractVersion)
        const told = { id, zone, free, engine, version, isUnderstood, ...(takesNone === true ? { takesNone } : {}) }
        seen.set(id, atMs === undefined ? told : { ...told, clockAheadMs: Math.round(atMs - nowMs()) })
      }
      const channel = new Channel({ connection, nowMs, name: () => noName })
      if (role === "edge")
        yield* connection.subscribe(beatSubject(net), channel.listener({ body: heard, otherVersion: (one) => void versions.add(one) }))
      yield* Effect.scoped(tryRoleSubjects(role, net, connection, channel))
      const roundTrip = yield* roundTripMs(connection)
      if (role === "edge") yield* Effect.sleep(forMs)
      const refused = connection.refused()
      return {
        server: connection.server(),
        roundTripMs: roundTrip,
        mayHear: role === "edge" && !refused.includes(`subscribe to ${beatSubject(net)}`),
        refused,
        otherVersions: [...versions].toSorted((one, two) => one - two),
        executors: [...seen.values()].toSorted((one, two) => (one.id < two.id ? -1 : 1))
      }
    })
  )
