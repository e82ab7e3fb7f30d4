/** HTTP requests through the host, directly or through a data proxy; the tally phase rejects them. */
import { http_fetch, proxy_http_fetch } from "./host"
import { HostPromise, takePromise } from "./hostPromise"
import { JsonKind, JsonValue, none, parseJsonAt } from "./json"
import { jsonBytes, jsonInteger, jsonString } from "./jsonWriter"

/** Options of a request. The defaults are a GET without body and the host's own time-out. */
export class HttpOptions {
  method: string = "GET"
  body: Uint8Array = new Uint8Array(0)
  /** 0: the host's default. */
  timeoutMs: i32 = 0
  private headers: string = ""

  /** Adds a header. */
  header(name: string, value: string): this {
    this.headers += (this.headers.length == 0 ? "" : ",") + jsonString(name) + ":" + jsonString(value)
    return this
  }

  /** The options as the JSON that the host expects. */
  toJson(): string {
    const timeout = this.timeoutMs > 0 ? jsonInteger(this.timeoutMs) : "null"
    return "{\"method\":" + jsonString(this.method) + ",\"headers\":{" + this.headers + "},\"body\":" +
      jsonBytes(this.body) + ",\"timeout_ms\":" + timeout + "}"
  }
}

/** The response. A request that was refused, failed or timed out has status 0 and the reason as its text. */
export class HttpResponse {
  constructor(
    readonly status: i32,
    readonly bytes: Uint8Array,
    /** The final address, after redirects. */
    readonly url: string,
    private readonly headers: JsonValue
  ) {}

  /** Whether the status is a success. */
  get isOk(): bool {
    return this.status >= 200 && this.status < 300
  }

  /** A header by its lower-case name, empty if there is none. */
  header(name: string): string {
    return this.headers.get(name).text()
  }

  /** The body as text, or the reason why there is none. */
  text(): string {
    return String.UTF8.decodeUnsafe(this.bytes.dataStart, this.bytes.length)
  }
}

/** Makes a request. */
export function httpFetch(url: string, options: HttpOptions = new HttpOptions()): HttpResponse {
  const action = String.UTF8.encode("{\"url\":" + jsonString(url) + ",\"options\":" + options.toJson() + "}")
  return responseOf(takePromise(http_fetch(changetype<usize>(action), action.byteLength)))
}

/** Makes a request through a data proxy; if `publicKey` (hex) is given, it must be the key of the signature. */
export function proxyHttpFetch(
  url: string,
  publicKey: string | null = null,
  options: HttpOptions = new HttpOptions()
): HttpResponse {
  const key = publicKey === null ? "null" : jsonString(publicKey)
  const action = String.UTF8.encode(
    "{\"url\":" + jsonString(url) + ",\"public_key\":" + key + ",\"options\":" + options.toJson() + "}"
  )
  return responseOf(takePromise(proxy_http_fetch(changetype<usize>(action), action.byteLength)))
}

function failure(reason: string): HttpResponse {
  return new HttpResponse(0, Uint8Array.wrap(String.UTF8.encode(reason)), "", none)
}

/** The response in a promise, fulfilled or rejected, as JSON; other text, as in some refusals, is a reason. */
function responseOf(promise: HostPromise): HttpResponse {
  const json = parseJsonAt(promise.start, promise.length)
  if (json.kind != JsonKind.Object) return failure(promise.text())
  const status = json.get("status")
  const bytes = json.get("bytes").bytes()
  if (!status.isInteger() || bytes === null) return failure("the host's answer is malformed")
  return new HttpResponse(<i32>status.integer(), bytes, json.get("url").text(), json.get("headers"))
}
