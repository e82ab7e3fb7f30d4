/** A feed as a loop sees it: an async iterator over its results, failed runs and gaps. */
import type { FeedRun } from "../contract/messages.ts"
import { type ClientError, InvalidResult, SlowConsumer } from "../errors/clientError.ts"
import { errorOfRpc } from "../errors/readError.ts"
import { readResult, type ResultSchema } from "../ground/resultSchema.ts"
import type { FeedItem } from "./feedItem.ts"
import { FeedQueue, type WhenSlow } from "./feedQueue.ts"
import type { FeedSink, FeedSource } from "./feedSink.ts"

/** What a loop over a feed takes. */
export interface FeedOptions<R> {
  /** What each result must be; one that is not is a failed run. */
  readonly schema?: ResultSchema<R> | undefined
  /** Ends the loop, which throws its reason. */
  readonly signal?: AbortSignal | undefined
  /** What gives way when the loop takes its results too slowly; `buffer` by default. */
  readonly whenSlow?: WhenSlow | undefined
  /** How many runs may wait for the loop; 256 by default. */
  readonly maxWaiting?: number | undefined
}

/** How a feed ends: by itself, by an error, or by the reason of a signal. */
type End = { readonly error?: unknown }

const itemOf = async <R>(run: FeedRun, schema: ResultSchema<R> | undefined): Promise<FeedItem<R>> => {
  const { epoch, error, feedId, result: answer, scheduledAt, seq, startedAt, tick } = run
  const of = { feedId, epoch, seq, tick, scheduledAt, startedAt }
  if (answer === undefined) return { kind: "failed", ...of, error: errorOfRpc(error) }
  try {
    return { kind: "result", ...of, ...(await readResult(answer, schema)) }
  } catch (caught) {
    if (caught instanceof InvalidResult) return { kind: "failed", ...of, error: caught }
    throw caught
  }
}

/** One loop over a feed, from its first `next` to its end. */
export class FeedLoop<R> implements AsyncIterator<FeedItem<R>, undefined, undefined> {
  readonly #options: FeedOptions<R>
  readonly #queue: FeedQueue
  readonly #maxWaiting: number
  readonly #begin: (sink: FeedSink) => FeedSource
  #source: FeedSource | undefined
  #end: End | undefined
  #wake: () => void = () => undefined
  /** The last item that was asked for: the next one is looked for after it, so that items are given in the order of asking. */
  #turn: Promise<unknown> = Promise.resolve()
  readonly #abort = (): void => this.#finish({ error: this.#options.signal?.reason })

  /** `begin` starts the feed, at the first `next`. */
  constructor(options: FeedOptions<R>, begin: (sink: FeedSink) => FeedSource) {
    const { maxWaiting = 256, whenSlow } = options
    this.#options = options
    this.#maxWaiting = maxWaiting
    // With "fail", one more than may wait tells that it is too many.
    this.#queue = new FeedQueue(whenSlow === "latest" ? 1 : whenSlow === "fail" ? maxWaiting + 1 : maxWaiting)
    this.#begin = begin
  }

  /** The next item. What waits is given before an error is thrown. */
  next(): Promise<IteratorResult<FeedItem<R>, undefined>> {
    this.#start()
    const item = this.#turn.then(() => this.#next())
    this.#turn = item.catch(() => undefined)
    return item
  }

  async #next(): Promise<IteratorResult<FeedItem<R>, undefined>> {
    for (;;) {
      if (this.#end !== undefined && "error" in this.#end && this.#isUrgent(this.#end)) throw this.#takeError(this.#end)
      const waiting = this.#queue.take()
      if (waiting?.kind === "gap") return { done: false, value: waiting }
      if (waiting !== undefined) return { done: false, value: await this.#read(waiting.run) }
      if (this.#end !== undefined) {
        if ("error" in this.#end) throw this.#takeError(this.#end)
        return { done: true, value: undefined }
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** The loop was left: the feed is stopped. */
  return(): Promise<IteratorResult<FeedItem<R>, undefined>> {
    this.#finish({})
    while (this.#queue.take() !== undefined);
    return Promise.resolve({ done: true, value: undefined })
  }

  /** A `for await` whose `next` rejects does not call `return`: without an end here, the feed would go on, and be charged, for nobody. */
  async #read(run: FeedRun): Promise<FeedItem<R>> {
    try {
      return await itemOf(run, this.#options.schema)
    } catch (caught) {
      void this.return()
      throw caught
    }
  }

  /** A signal and a slow loop end at once. */
  #isUrgent({ error }: End): boolean {
    return error instanceof SlowConsumer || (this.#options.signal?.aborted === true && error === this.#options.signal.reason)
  }

  /** An iterator throws once; after that it is at its end. */
  #takeError({ error }: End): unknown {
    this.#end = {}
    while (this.#queue.take() !== undefined);
    return error
  }

  #start(): void {
    if (this.#source !== undefined || this.#end !== undefined) return
    const { signal, whenSlow } = this.#options
    if (signal?.aborted === true) return this.#finish({ error: signal.reason })
    signal?.addEventListener("abort", this.#abort)
    const fail = (error: ClientError): void => this.#finish({ error })
    this.#source = this.#begin({
      push: (waiting) => {
        if (this.#end !== undefined) return
        this.#queue.push(waiting)
        if (whenSlow === "fail" && this.#queue.runs > this.#maxWaiting) fail(new SlowConsumer(this.#queue.runs))
        this.#wake()
      },
      end: () => this.#finish({}),
      fail
    })
    // It may have ended while it began.
    if (this.#end !== undefined) this.#source.stop()
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#options.signal?.removeEventListener("abort", this.#abort)
    this.#source?.stop()
    this.#wake()
  }
}
