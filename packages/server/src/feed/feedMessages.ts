/** Reads a service's WebSocket messages by the contract; unknown members are ignored. */
import { AuthorizedNotification, FeedResultNotification, type RpcError, RpcReply } from "@sibyl/core"
import { Option, Schema } from "effect"

/** Why a run or a request failed. */
export type Failure = typeof RpcError.Type

/** It in one line. */
export const failureText = ({ _tag = "error", code, error }: Failure): string => `${error} (${_tag} ${code})`

/** One run of a feed. */
export type FeedRun = (typeof FeedResultNotification.Type)["params"]

const decode = Schema.decodeUnknownOption(Schema.parseJson(Schema.Union(FeedResultNotification, AuthorizedNotification, RpcReply)))

const feedIdOf = (result: (typeof RpcReply.Type)["result"]): string | undefined =>
  result !== undefined && "feedId" in result ? result.feedId : undefined

/** One message of the service. `raw` is all params of a run's notification. */
export type ServiceMessage =
  | { readonly _tag: "authorized"; readonly organization: string; readonly credits: string }
  | { readonly _tag: "run"; readonly run: FeedRun; readonly raw: object }
  | {
      readonly _tag: "reply"
      readonly id: string | null
      readonly feedId: string | undefined
      readonly error: Failure | undefined
    }
  | { readonly _tag: "unknown" }

/** Reads one text frame. */
export const readServiceMessage = (text: string): ServiceMessage =>
  Option.match(decode(text), {
    onNone: (): ServiceMessage => ({ _tag: "unknown" }),
    onSome: (message) => {
      if (!("method" in message)) return { _tag: "reply", id: message.id, feedId: feedIdOf(message.result), error: message.error }
      if (message.method === "feed.result") {
        const { params }: { readonly params: object } = JSON.parse(text)
        return { _tag: "run", run: message.params, raw: params }
      }
      const { organizationSlug, remainingCreditsSnapshot } = message.params
      return { _tag: "authorized", organization: organizationSlug, credits: remainingCreditsSnapshot }
    }
  })
