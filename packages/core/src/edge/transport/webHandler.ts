/** Serves a service on every runtime with the web's `Request` and `Response`. */
import { belowMountPoint, checkedMountPoint, type MountPoint } from "./mountPoint.ts"
import { originForm } from "./originForm.ts"
import { BodyUnreadable, type Service, type ServiceRequest, type ServiceResponse } from "./seam.ts"

/** Answers a web request; `undefined` if the service has no such path. Never rejects. */
export type WebHandler = (request: Request) => Promise<Response | undefined>

const tooLarge = (maxBytes: number): BodyUnreadable => new BodyUnreadable("tooLarge", `The body is larger than ${maxBytes} bytes.`)

/**
 * Stops at the first byte beyond the limit; a declared length beyond it is refused before any byte is read. The rest can be read by others then: a
 * runtime that does not do so itself can drop it, so that a client that sends everything first can read the answer.
 */
const readBody = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  const { body } = request
  if (request.bodyUsed || body?.locked === true) {
    throw new BodyUnreadable("alreadyRead", "The body was read before it came to the service.")
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (body === null) return new Uint8Array(0)
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new BodyUnreadable("aborted", `The body ended early: ${String(cause)}`)
    })
    if (done) return joined(chunks, length)
    length += value.byteLength
    if (length > maxBytes) {
      reader.releaseLock()
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
}

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** A web request as a `ServiceRequest`; `undefined` if it is not below the mount point. */
export const serviceRequestOf = (request: Request, mount: MountPoint = {}): ServiceRequest | undefined => {
  const url = belowMountPoint(originForm(request.url), mount)
  return url === undefined
    ? undefined
    : {
        method: request.method,
        url,
        header: (name) => request.headers.get(name) ?? undefined,
        body: (maxBytes) => readBody(request, maxBytes),
        // Made when it is asked for: remembered results do not ask.
        get signal() {
          return request.signal
        }
      }
}

/** The service's answer as a web response. */
export const webResponseOf = ({ status, headers, body }: ServiceResponse): Response =>
  new Response(status === 304 ? null : typeof body === "string" ? body : Uint8Array.from(body), { status, headers })

/** A service as a web handler: `(request) => Promise<Response | undefined>`. Throws `InvalidOption` for an invalid prefix, and for what is no service. */
export const toWebHandler = (service: Service, mount: MountPoint = {}): WebHandler => {
  const mounted = checkedMountPoint(mount, service)
  return async (request) => {
    const ours = serviceRequestOf(request, mounted)
    const answer = ours === undefined ? undefined : await service.fetch(ours)
    return answer === undefined ? undefined : webResponseOf(answer)
  }
}
