/** A signer whose keys are stored: it follows a rotation while the service runs, at the same timestamp as every other server. */
import { Clock, Effect, Layer, Redacted } from "effect"
import { keyAt, type ListedKey } from "../../domain/signingKeys/listedKey.ts"
import { longestUnreadMs } from "../../domain/signingKeys/rotation.ts"
import { Signer, type ThreadSigning } from "../signer.ts"

/** Where the keys are, and how they sign. */
export interface RotatingSignerOptions {
  /** Reads the keys as they are stored now. */
  readonly list: Effect.Effect<ReadonlyArray<ListedKey>>
  /** The secret of a key, 32 bytes. It dies if the store does not have it. */
  readonly secretOf: (publicKey: string) => Effect.Effect<Redacted.Redacted<Uint8Array>>
  /** Signs a digest of 32 bytes: 65 bytes r‖s‖v, low s. */
  readonly sign: (digest: Uint8Array, secret: Uint8Array) => Uint8Array
  /** How threads sign with the key that signs when the signer is made; they are told of no other. Default: they do not. */
  readonly inThreads?: (publicKey: string, secret: Redacted.Redacted<Uint8Array>) => ThreadSigning | undefined
}

/** The keys are read again when they are needed and this old; if that fails, those that are known do up to `longestUnreadMs`. */
const rereadMs = 2_000
/** `GET /info` asks no more often, because anyone may. */
const relistMs = 500
/** It shows keys read up to this long ago while they are read again, and else waits for them, this long at most. */
const shownUnreadMs = 10_000
const listingMs = 1_000

const monotonicMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** The keys as they were read last; they are read again when somebody asks for younger ones. */
const makeKnownKeys = (list: RotatingSignerOptions["list"]) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    const startedAtMs = yield* monotonicMs
    let known = { keys: yield* list, readAtMs: startedAtMs, triedAtMs: startedAtMs }

    const reread = Effect.gen(function* () {
      const triedAtMs = yield* monotonicMs
      known = { ...known, triedAtMs }
      known = { keys: yield* list, readAtMs: triedAtMs, triedAtMs }
    })
    /** The keys, read at most `maxAgeMs` ago or, if they cannot be read, `maxFailingMs`: they are not asked for again at once then. */
    const within = (maxAgeMs: number, maxFailingMs: number) => {
      const isRecent = Effect.map(
        monotonicMs,
        (nowMs) => nowMs - known.readAtMs <= maxAgeMs || (nowMs - known.triedAtMs <= maxAgeMs && nowMs - known.readAtMs <= maxFailingMs)
      )
      const mayFail = Effect.map(monotonicMs, (nowMs) => nowMs - known.readAtMs <= maxFailingMs)
      const tried = Effect.catchAllDefect(reread, (defect) => Effect.flatMap(mayFail, (may) => (may ? Effect.void : Effect.die(defect))))
      const brought = turn.withPermits(1)(Effect.unlessEffect(tried, isRecent))
      return Effect.map(Effect.unlessEffect(brought, isRecent), () => known.keys)
    }
    const listing = Effect.timeoutTo(within(relistMs, Number.POSITIVE_INFINITY), {
      duration: listingMs,
      onSuccess: (keys) => keys,
      onTimeout: () => known.keys
    })
    const listed = Effect.flatMap(monotonicMs, (nowMs) => {
      const ageMs = nowMs - known.readAtMs
      if (ageMs <= relistMs) return Effect.succeed(known.keys)
      // Bun drops pipelined requests behind one that is not answered at once.
      return ageMs <= shownUnreadMs ? Effect.as(Effect.forkDaemon(listing), known.keys) : listing
    })
    return { last: () => known, within, listed }
  })

const make = ({ inThreads, list, secretOf, sign }: RotatingSignerOptions) =>
  Effect.gen(function* () {
    const secrets = new Map<string, Redacted.Redacted<Uint8Array>>()
    const { last, listed, within } = yield* makeKnownKeys(list)
    const clock = yield* Effect.clock

    const keyOf = (timestampMs: number) =>
      Effect.flatMap(within(rereadMs, longestUnreadMs), (keys) => {
        const key = keyAt(keys, timestampMs)
        return key === undefined ? Effect.dieMessage("no signing key signs now") : Effect.succeed(key.publicKey)
      })
    const secretFor = Effect.fnUntraced(function* (publicKey: string) {
      const secret = secrets.get(publicKey) ?? (yield* secretOf(publicKey))
      secrets.set(publicKey, secret)
      return secret
    })
    const signAt = Effect.fnUntraced(function* (digest: Uint8Array, timestampMs?: number) {
      const publicKey = yield* keyOf(timestampMs ?? (yield* Clock.currentTimeMillis))
      return sign(digest, Redacted.value(yield* secretFor(publicKey)))
    })

    /** With keys that are read again later, if that is due. */
    const signNow = (digest: Uint8Array, timestampMs: number): Uint8Array | undefined => {
      const { keys, readAtMs } = last()
      if (Number(clock.unsafeCurrentTimeNanos()) / 1e6 - readAtMs > rereadMs) return undefined
      const secret = secrets.get(keyAt(keys, timestampMs)?.publicKey ?? "")
      return secret === undefined ? undefined : sign(digest, Redacted.value(secret))
    }

    const presentKey = () => keyAt(last().keys, clock.unsafeCurrentTimeMillis())?.publicKey ?? ""
    // Read whether threads sign or not: what cannot sign does not start.
    const firstKey = presentKey()
    const firstSecret = yield* secretFor(firstKey)
    const threads = inThreads?.(firstKey, firstSecret)
    return {
      get publicKey() {
        return presentKey()
      },
      sign: signAt,
      signNow,
      rotation: { keyAt: keyOf, listed },
      ...(threads === undefined ? {} : { inThreads: threads })
    }
  })

/** The signer over stored keys. Without the secret of the key that signs now it dies. */
export const layerRotatingSigner = (options: RotatingSignerOptions): Layer.Layer<Signer> => Layer.effect(Signer, make(options))
