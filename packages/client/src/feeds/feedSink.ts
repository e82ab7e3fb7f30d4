/** Where a feed's messages go, and what is common to the feeds that fill it. */
import type { ClientError } from "../errors/clientError.ts"
import { errorOfRpc } from "../errors/readError.ts"
import type { Platform } from "../ground/platform.ts"
import { isTransient, type RetryPolicy, waitMs } from "../ground/retryPolicy.ts"
import type { Waiting } from "./feedQueue.ts"

/** Takes what a feed has to tell, in order. */
export interface FeedSink {
  readonly push: (waiting: Waiting) => void
  /** The feed has ended by itself. */
  readonly end: () => void
  readonly fail: (error: ClientError) => void
}

/** What a feed is filled by. */
export interface FeedSource {
  readonly stop: () => void
}

/** What a feed's requests are tried again with. */
export interface FeedGround {
  readonly platform: Platform
  readonly retry: RetryPolicy
  readonly sink: FeedSink
}

/** Tries a refused request again if it may succeed, with longer waits each time; otherwise the feed fails. */
export class RefusedRequests {
  readonly #ground: FeedGround
  #count = 0
  #cancel: () => void = () => undefined

  constructor(ground: FeedGround) {
    this.#ground = ground
  }

  /** The service refused. */
  refused(body: unknown, again: () => void): void {
    const { platform, retry, sink } = this.#ground
    const error = errorOfRpc(body)
    if (!isTransient(error)) return sink.fail(error)
    this.#count += 1
    this.#cancel = platform.after(waitMs(this.#count + 1, retry, platform.random()), again)
  }

  /** The service accepted. */
  accepted(): void {
    this.#count = 0
  }

  /** The connection is lost, or the feed is stopped. */
  forget(): void {
    this.#cancel()
  }
}
