/** A service that only reports what an adapter passed to it, for the adapter audits. */
import { BodyUnreadable, defaultLimits, type Peer, type Service, type ServiceRequest, type ServiceResponse, type Socket } from "@sibyl/core"
import { mirrorPeer } from "./mirrorPeer.ts"

/** How a request named with `?name=` ended. */
type Outcome = "answered" | "aborted" | "tooLarge" | "alreadyRead" | `closed ${number} ${string}`

const json = (status: number, value: unknown): ServiceResponse => ({
  status,
  headers: { "content-type": "application/json", "x-mirror": "service" },
  body: JSON.stringify(value)
})

const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at)

const statusOf: Readonly<Record<BodyUnreadable["reason"], number>> = { tooLarge: 413, aborted: 400, alreadyRead: 400 }

/** Resolves after `ms`, or as soon as the client has disconnected. */
const wait = (ms: number, signal: AbortSignal | undefined): Promise<Outcome> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve("answered"), ms)
    signal?.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve("aborted")
    })
  })

/** Reads a body and reports the outcome. */
const readBody = async (request: ServiceRequest, maxBytes: number): Promise<readonly [Outcome, ServiceResponse]> => {
  try {
    const bytes = await request.body(maxBytes)
    return ["answered", json(200, { bytes: Buffer.from(bytes).toString("base64") })]
  } catch (cause) {
    if (!(cause instanceof BodyUnreadable)) return ["answered", json(500, { unexpected: String(cause) })]
    return [cause.reason, json(statusOf[cause.reason], { reason: cause.reason })]
  }
}

const headersNamed = (request: ServiceRequest, names: string): Record<string, string | null> =>
  Object.fromEntries(names.split(",").map((name) => [name, request.header(name) ?? null]))

/**
 * Answers `/mirror` (method, url, the headers named in `?headers=`), `/body?max=` (reads the body), `/wait?ms=`, `/outcome?name=` (how the
 * request of that name ended), `/status/N`, `/bytes` (0 to 255) and `/unicode`; refuses an upgrade of `/refused` (after `?ms=`), opens one
 * of `/open` with a {@link mirrorPeer}, whose close is the outcome, and with the subprotocol `?protocol=`. All other paths are not its own.
 */
export const makeMirrorService = (): Service => {
  const outcomes = new Map<string, Outcome>()

  const fetch = async (request: ServiceRequest): Promise<ServiceResponse | undefined> => {
    const { pathname, searchParams: query } = new URL(request.url, "http://mirror")
    const name = query.get("name") ?? ""
    if (pathname.startsWith("/status/")) return json(Number(pathname.slice(8)), { pathname })
    switch (pathname) {
      case "/mirror": {
        const { method, url } = request
        const answer = json(200, { method, url, headers: headersNamed(request, query.get("headers") ?? "host") })
        return { ...answer, headers: { ...answer.headers, "x-mirror-method": method } }
      }
      case "/body": {
        const [outcome, answer] = await readBody(request, Number(query.get("max")))
        outcomes.set(name, outcome)
        return answer
      }
      case "/wait": {
        const outcome = await wait(Number(query.get("ms")), request.signal)
        outcomes.set(name, outcome)
        return json(200, { outcome })
      }
      case "/outcome":
        return json(200, { outcome: outcomes.get(name) ?? "unknown" })
      case "/bytes":
        return { status: 200, headers: { "content-type": "application/octet-stream" }, body: everyByte }
      case "/unicode":
        return json(200, { text: "½ € 𝄞" })
      default:
        return undefined
    }
  }

  const upgrade: Service["upgrade"] = async (request) => {
    const { pathname, searchParams: query } = new URL(request.url, "http://mirror")
    if (pathname === "/refused") {
      await wait(Number(query.get("ms")), undefined)
      return json(401, { refused: request.header("authorization") ?? null })
    }
    const name = query.get("name") ?? ""
    if (pathname !== "/open") return undefined
    const protocol = query.get("protocol")
    const opening = (socket: Socket): Peer => mirrorPeer(socket, (code, reason) => outcomes.set(name, `closed ${code} ${reason}`))
    return protocol === null ? opening : Object.assign(opening, { protocol })
  }

  return { fetch, upgrade, maxMessageBytes: defaultLimits.requestBytes, dispose: async () => {} }
}
