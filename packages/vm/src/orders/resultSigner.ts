/** Signs results in a worker, where their runs end. */
import type { RunSignature } from "@sibyl/core"
import { dataResultIdOf, dataResultOf, runResultOf, toHex } from "@sibyl/core/internal"
import { LRUCache } from "lru-cache"
import type { Ending } from "../pass/ending.ts"
import type { Uninterrupted } from "./uninterrupted.ts"
import type { TallyReport } from "./messages.ts"

/** What a worker needs to sign. The secret comes with the thread's data, never in a message, and no program can read it. */
export interface SigningThread {
  /** The URL of a module that exports `sign` as {@link SignDigest}. */
  readonly module: string
  readonly secret: Uint8Array
  /** SEC1 compressed, 66 lowercase hex characters. */
  readonly publicKey: string
}

/** Signs a digest of 32 bytes: 65 bytes r‖s‖v. */
export type SignDigest = (digest: Uint8Array, secret: Uint8Array) => Uint8Array

/** A run that has ended, in the order that asks for its signature. */
export interface SignedOrder {
  readonly projectId: string
  readonly drId: string
  readonly version: string
  readonly blockHeight: bigint
}

/** How many requests are remembered with the time that was signed last; the service looks at every time once more. */
const rememberedRequests = 10_000

const endOf = ({ exitCode, gasUsed, result = new Uint8Array() }: Ending) => ({ exitCode, gasUsed, result })

const tallyEndOf = (tally: TallyReport) => ("refusal" in tally ? tally : { consensus: tally.consensus, phase: endOf(tally.ending) })

/** The signatures of one thread. */
export class ResultSigner {
  readonly #thread: SigningThread
  readonly #sign: SignDigest
  readonly #uninterrupted: Uninterrupted
  readonly #signedAtMs = new LRUCache<string, number>({ max: rememberedRequests })

  constructor(thread: SigningThread, sign: SignDigest, uninterrupted: Uninterrupted) {
    this.#thread = thread
    this.#sign = sign
    this.#uninterrupted = uninterrupted
  }

  /** Loads the module of a thread; undefined if that fails: then the service signs itself. */
  static async load(thread: SigningThread, uninterrupted: Uninterrupted): Promise<ResultSigner | undefined> {
    try {
      const { sign } = (await import(thread.module)) as { readonly sign: SignDigest }
      return new ResultSigner(thread, sign, uninterrupted)
    } catch {
      return undefined
    }
  }

  /** Signs what follows from both phases, dated now; undefined if the thread is to end. */
  sign(order: SignedOrder, exec: Ending, tally: TallyReport | undefined): RunSignature | undefined {
    const { blockHeight, drId, projectId, version } = order
    const outcome = runResultOf(endOf(exec), tally === undefined ? undefined : tallyEndOf(tally))
    const timestampMs = this.#nextMs(`${projectId} ${drId}`)
    const digest = dataResultIdOf(dataResultOf({ version, drId, blockHeight, timestampMs }, outcome))
    const { publicKey, secret } = this.#thread
    const signature = this.#uninterrupted.run(() => this.#sign(digest, secret))
    return signature === undefined ? undefined : { publicKey, timestampMs, signature: toHex(signature) }
  }

  #nextMs(request: string): number {
    const nextMs = Math.max(Date.now(), (this.#signedAtMs.get(request) ?? 0) + 1)
    this.#signedAtMs.set(request, nextMs)
    return nextMs
  }
}
