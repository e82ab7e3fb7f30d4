/** The tape: all answers from outside to one phase of one program, in order. Request and tape determine the execution. */
import type { FetchAction } from "./fetchAction.ts"
import type { StorageAction, StorageOperation } from "./storageAction.ts"

/** An HTTP answer as the program will read it, failures included. */
export interface FetchAnswer {
  /** Whether the program's promise is fulfilled (an answer with any status) or rejected. */
  readonly fulfilled: boolean
  /** 0 if there was no answer. */
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly bytes: Uint8Array
  /** The final address, empty if there was no answer. */
  readonly url: string
  readonly contentLength: number
}

/** A data proxy's price for one request, or why it is unknown. */
export type ProxyPrice =
  | { readonly known: true; readonly gas: bigint; readonly publicKey: string; readonly feeCredits: bigint }
  | { readonly known: false; readonly message: string }

/** The store's answer; `bytes` become the program's promise unchanged. */
export interface StorageAnswer {
  readonly fulfilled: boolean
  readonly bytes: Uint8Array
}

/** A request to the outside world: the bytes that the program passed, and their meaning. */
export type HostCall =
  | { readonly kind: "fetch" | "proxyPrice" | "proxyFetch"; readonly action: Uint8Array; readonly request: FetchAction }
  | { readonly kind: "storage"; readonly action: Uint8Array; readonly request: StorageAction }

/** The answer to each kind of call. */
export interface AnswerTo {
  readonly fetch: FetchAnswer
  readonly proxyPrice: ProxyPrice
  readonly proxyFetch: FetchAnswer
  readonly storage: StorageAnswer
}

/** A recorded request and its answer. `atMs` is when the answer arrived, in ms since the Unix epoch; it never decreases on a tape. */
export type AnsweredCall = { readonly action: Uint8Array; readonly atMs: number } & (
  | { readonly kind: "fetch" | "proxyFetch"; readonly answer: FetchAnswer }
  | { readonly kind: "proxyPrice"; readonly answer: ProxyPrice }
  | { readonly kind: "storage"; readonly operation: StorageOperation; readonly answer: StorageAnswer }
)

/** Why a worker process is gone: it needed more memory than it may, or it ended otherwise. */
export type WorkerLoss = { readonly why: "memory"; readonly limitMib: number } | { readonly why: "crash" }

/** An ending imposed from outside of the program. Nothing follows it on a tape. */
export type TerminalEntry =
  | {
      readonly kind: "deadline"
      /** The wall-clock limit that was reached. */
      readonly limitMs: number
      /** The gas of the last finished pass. */
      readonly gasCharged: bigint
      /** The worker time of the phase until then, whole ms. */
      readonly workerMs: number
    }
  | { readonly kind: "stackOverflow" }
  | {
      /** The program ended its worker process, twice. */
      readonly kind: "workerLost"
      readonly loss: WorkerLoss
      /** As of a deadline. */
      readonly gasCharged: bigint
      readonly workerMs: number
    }

/** One entry of a tape. */
export type TapeEntry = AnsweredCall | TerminalEntry

/** Where an execution starts, and the answers since then. */
export interface Tape {
  /** ms since the Unix epoch. */
  readonly startTimeMs: number
  /** The seed of the program's random bytes. */
  readonly seed: Uint8Array
  readonly entries: ReadonlyArray<TapeEntry>
}

/** A tally program is told neither the time nor random bytes, and makes no requests: its outcome depends on its inputs only. */
export const emptyTape: Tape = { startTimeMs: 0, seed: new Uint8Array(32), entries: [] }

/** Whether an entry ends the tape. */
export const isTerminal = (entry: TapeEntry): entry is TerminalEntry =>
  entry.kind === "deadline" || entry.kind === "stackOverflow" || entry.kind === "workerLost"

const answerBytes = (entry: AnsweredCall): number => {
  if (entry.kind === "proxyPrice") return entry.answer.known ? entry.answer.publicKey.length : entry.answer.message.length
  if (entry.kind === "storage") return entry.answer.bytes.length
  const { bytes, headers, url } = entry.answer
  return bytes.length + url.length + headers.flat().reduce((sum, text) => sum + text.length, 0)
}

/** What an entry counts towards a phase's bytes: the action, and the answer with its headers. */
export const bytesOf = (entry: AnsweredCall): number => entry.action.length + answerBytes(entry)
