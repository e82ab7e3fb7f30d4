/** What the audits of the WebSocket interface need of a service: what the REST audits need, and an operator's hand. */
import { readApiKey } from "@sibyl/core/internal"
import type { Provisioner, Target } from "../rest/target.ts"
import { dial, type Dial, type Dialled, type WireClient } from "../../wire/wireClient.ts"

/** What only an operator can do; where there is none, the audits that need one are skipped. */
export interface Operator {
  /** A key of a new project with credits; with a time in milliseconds, it expires after it. */
  readonly freshKey: (validForMs?: number) => Promise<string>
  readonly revoke: (apiKey: string) => Promise<void>
  /** Ends the service as a shutdown does; resolves when it is over. */
  readonly drain: () => Promise<void>
}

/** A service under audit. */
export interface WsTarget extends Target {
  readonly operator?: Operator | undefined
  /** How often the service pings; 30 s when left out. */
  readonly pingIntervalMs?: number | undefined
  /** How long runs in flight may take to end once nobody asks for more; 60 s when left out. */
  readonly settlingMs?: number | undefined
  /** What part of their connections and requests the audits of load really make, 0 to 1; all of them when left out. */
  readonly loadShare?: number | undefined
}

/** Where the WebSocket interface is. */
export const webSocketUrl = (target: WsTarget): string => `${target.baseUrl}/ws/v1`

/** Asks for a WebSocket; with the target's own key unless told otherwise (`null` sends none). */
export const dialTarget = (
  target: WsTarget,
  { headers, key = target.apiKey, ...how }: Partial<Dial> & { readonly key?: string | null } = {}
): Promise<Dialled> =>
  dial({ url: webSocketUrl(target), ...how, headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers } })

/** Opens a WebSocket that must be granted, and waits for its `authorized`. Rejects when it is not. */
export const openClient = async (target: WsTarget, how: Parameters<typeof dialTarget>[1] = {}): Promise<WireClient> => {
  const dialled = await dialTarget(target, how)
  if (dialled.client === undefined) throw new Error(`the upgrade was answered with ${dialled.answer?.status}`)
  const first = await dialled.client.until(() => dialled.client.messages[0])
  if (first === undefined) throw new Error("no first message came")
  return dialled.client
}

/** Opens a client for as long as `use` takes. */
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

/** What an operator is asked to do. */
export interface OperatorMeans extends Omit<Provisioner, "issueKey"> {
  readonly issueKey: (projectId: string, options?: { readonly expiresAtMs?: number }) => Promise<string>
  readonly service: { readonly dispose: () => Promise<void> }
}

/** The operator of a service in this process. */
export const operatorOf = (provisioner: OperatorMeans): Operator => ({
  freshKey: async (validForMs) => {
    const { projectId } = await provisioner.createProject({ organizationSlug: "audits" })
    await provisioner.grant(projectId, 1_000_000n)
    return provisioner.issueKey(projectId, validForMs === undefined ? {} : { expiresAtMs: Date.now() + validForMs })
  },
  revoke: (apiKey) => provisioner.revokeKey(readApiKey(apiKey)?.apiKeyId ?? ""),
  drain: () => provisioner.service.dispose()
})
