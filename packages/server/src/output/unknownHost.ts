/** Explains a failed connection: whether the host's name resolves at all. */
import { lookup } from "node:dns/promises"
import { Effect } from "effect"

const meanings: Readonly<Record<string, string>> = {
  ENOTFOUND: "DNS knows no host of the name",
  ENODATA: "DNS has no address for the name",
  EAI_AGAIN: "DNS does not answer for the name",
  EAI_FAIL: "DNS does not answer for the name"
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code).replace(/^DNS_/, "") : ""

/**
 * Why the host of this URL does not resolve; `undefined` if it does. `url` must parse; `resolve`
 * rejects as the system's resolver does.
 */
export const unknownHost = (url: string, resolve: (host: string) => Promise<unknown> = lookup): Effect.Effect<string | undefined> => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  return Effect.promise(() =>
    resolve(host).then(
      () => undefined,
      (cause: unknown) => `${meanings[codeOf(cause)] ?? "DNS does not resolve the name"} ${host}`
    )
  )
}
