/** One REST request of a simulated client, from its sending to its answer. */
import type { ServiceRequest, ServiceResponse } from "@sibyl/core"
import type { Life } from "./simServer.ts"
import type { Tenant, TenantKey } from "./tenants.ts"

/** What is sent. */
export interface RestPlan {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly tenant: Tenant
  readonly key: TenantKey
  readonly body?: object
  readonly idempotencyKey?: string
  /** The text of the inputs, if it asks for a run. */
  readonly inputs?: string
  /** How a request that is wrong in itself must be refused. */
  readonly refusal?: { readonly status: number; readonly tag: string }
}

/** What came. */
export interface RestAnswer {
  readonly status: number
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly atMs: number
}

/** One request. */
export interface RestRequest extends RestPlan {
  readonly number: number
  readonly life: Life
  readonly sentAtMs: number
  /** What its project had been granted then. */
  readonly grantedAtSend: bigint
  answer: RestAnswer | undefined
  /** `lost` with its server, `left` by its client. */
  state: "open" | "answered" | "lost" | "left"
  readonly leave: () => void
}

/** The request as an adapter passes it. */
export const serviceRequestFor = (
  { body, idempotencyKey, key, method, url }: Pick<RestPlan, "body" | "idempotencyKey" | "key" | "method" | "url">,
  signal?: AbortSignal
): ServiceRequest => {
  const headers = new Map([["authorization", `Bearer ${key.text}`]])
  if (body !== undefined) headers.set("content-type", "application/json")
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body))
  return {
    method,
    url,
    header: (name) => headers.get(name.toLowerCase()),
    body: () => Promise.resolve(bytes),
    ...(signal === undefined ? {} : { signal })
  }
}

const textOf = ({ body }: ServiceResponse): string => (typeof body === "string" ? body : new TextDecoder().decode(body))

/** Reads an answer; throws if it is no JSON object. */
export const readAnswer = (response: ServiceResponse | undefined, atMs: number): RestAnswer => {
  if (response === undefined) return { status: 0, text: "", json: {}, headers: {}, atMs }
  const text = textOf(response)
  return { status: response.status, text, json: JSON.parse(text) as RestAnswer["json"], headers: response.headers, atMs }
}

/** The tag of a body; empty if it has none. */
export const tagOf = (json: RestAnswer["json"]): string => {
  const tag = json["_tag"]
  return typeof tag === "string" ? tag : ""
}
