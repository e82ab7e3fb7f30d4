/** What the WebSocket audits need from a service: what the REST audits need, and an operator. */
import type { Target } from "../rest/target.ts"
import { dial, type Dial, type Dialled, patienceMs, type WireClient } from "../../wire/wireClient.ts"

/** What only an operator can do; without one, or without one of its means (`Lacking`), the audits that need it are skipped. */
export interface Operator {
  /** A key of a new project with credits; with a time in milliseconds, it expires after that. */
  readonly freshKey: (validForMs?: number) => Promise<string>
  readonly revoke: (apiKey: string) => Promise<void>
  /** Shuts the service down, while its server goes on and refuses requests with 503; resolves when it has stopped. */
  readonly drain?: (() => Promise<void>) | undefined
}

/** A service under audit. */
export interface WsTarget extends Target {
  /** The address of the WebSocket interface, if it is not `/ws/v1` below `baseUrl`: `http://` for `ws://`. */
  readonly wsUrl?: string | undefined
  readonly operator?: Operator | undefined
  /** How often the service pings; by default 30 s. */
  readonly pingIntervalMs?: number | undefined
  /** How long a reply may take; by default 20 s, ten times what a healthy service needs. */
  readonly replyWithinMs?: number | undefined
  /** The fraction of their connections and requests that load audits make, 0 to 1; by default all. */
  readonly loadShare?: number | undefined
}

/** The address of the WebSocket interface. */
export const webSocketUrl = (target: WsTarget): string => target.wsUrl ?? `${target.baseUrl}/ws/v1`

/** How long anything may take, in milliseconds. */
export const patienceOf = ({ replyWithinMs = patienceMs }: WsTarget): number => replyWithinMs

/** Requests a WebSocket, by default with the target's own key (`null` sends none). */
export const dialTarget = (
  target: WsTarget,
  { headers, key = target.apiKey, ...how }: Partial<Dial> & { readonly key?: string | null } = {}
): Promise<Dialled> =>
  dial({
    url: webSocketUrl(target),
    trace: target.trace,
    waitsForMs: patienceOf(target),
    ...how,
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers }
  })

/** Opens a WebSocket that must be accepted, and waits for its `authorized`. Rejects if it is not. */
export const openClient = async (target: WsTarget, how: Parameters<typeof dialTarget>[1] = {}): Promise<WireClient> => {
  const dialled = await dialTarget(target, how)
  if (dialled.client === undefined) throw new Error(`the upgrade was answered with ${dialled.answer?.status}`)
  const first = await dialled.client.until(() => dialled.client.messages[0])
  if (first === undefined) throw new Error("no first message came")
  return dialled.client
}

/** Opens a client while `use` runs. */
export const withClient = async <A>(
  target: WsTarget,
  use: (client: WireClient) => Promise<A>,
  how: Parameters<typeof dialTarget>[1] = {}
): Promise<A> => {
  const client = await openClient(target, how)
  try {
    return await use(client)
  } finally {
    client.reset()
  }
}
