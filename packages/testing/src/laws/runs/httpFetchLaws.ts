/** The laws of outbound HTTP: what a program's request becomes, its answer, its bounds, and the addresses that it may never reach. */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Duration, Effect, Fiber, Layer, type Scope } from "effect"
import { checkedMake } from "../form/checkedMake.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"
import { type Answers, type LawUpstream, openUpstream } from "./upstreams.ts"

/** Makes an outbound HTTP in which each of these hosts stands for an origin on loopback that it may reach; nothing else is allowed or forbidden. */
export type MakeHttpFetch = (origins: Readonly<Record<string, string>>) => Layer.Layer<HttpFetch>

type Body = Effect.Effect<void, LawBroken>

const host = "upstream.test"

const requestOf = (changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  projectId: "laws",
  url: `http://${host}/`,
  method: "GET",
  headers: [],
  body: new Uint8Array(),
  timeoutMs: 20_000,
  maxResponseBytes: 1_000,
  ...changes
})

const ask = (changes?: Partial<OutboundRequest>): Effect.Effect<OutboundResponse, never, HttpFetch> =>
  Effect.flatMap(HttpFetch, ({ fetch }) => fetch(requestOf(changes)))

/** A law with one upstream, under the host of the laws. */
const withUpstream = (
  make: MakeHttpFetch,
  answers: Answers,
  body: (upstream: LawUpstream) => Effect.Effect<void, LawBroken, HttpFetch | Scope.Scope>
): Body =>
  Effect.scoped(
    Effect.flatMap(openUpstream(answers), (upstream) =>
      Effect.provide(body(upstream), make({ [host]: `http://127.0.0.1:${upstream.port}` }))
    )
  )

const isRejected = (response: OutboundResponse, what: string): Effect.Effect<void, LawBroken> =>
  holdsThat(response.kind === "rejected" && response.message !== "", `${what} is rejected, with a text for the program`)

const textOf = (response: OutboundResponse): string =>
  response.kind === "answered" ? new TextDecoder().decode(response.bytes) : `rejected: ${response.message}`

const answersAsTheyCome = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    (_request, response) => response.writeHead(404, { "X-One": "1", "Content-Length": "5" }).end("hello"),
    () =>
      Effect.gen(function* () {
        const response = yield* ask({ url: `http://${host}/a?b=c` })
        if (response.kind !== "answered") return yield* holdsThat(false, `a 404 is an answer, not: ${textOf(response)}`)
        yield* isEqual([response.status, textOf(response), response.contentLength], [404, "hello", 5], "status, bytes and declared length")
        yield* isEqual(response.url, `http://${host}/a?b=c`, "the address")
        yield* isEqual(response.headers.find(([name]) => name.toLowerCase() === "x-one")?.[1], "1", "the header X-One")
      })
  )

const sendsWhatIsAsked = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    (_request, response) => response.end("ok"),
    ({ received }) =>
      Effect.gen(function* () {
        const headers = [
          ["X-Two", "2"],
          ["Host", "elsewhere.test"],
          ["Content-Length", "999"],
          ["Transfer-Encoding", "gzip"]
        ] as const
        yield* ask({ method: "PUT", url: `http://${host}/p?q=1`, headers, body: new TextEncoder().encode("é") })
        yield* ask()
        const [first, second] = received
        yield* isEqual([first?.method, first?.url, first?.body], ["PUT", "/p?q=1", "é"], "method, path and body")
        yield* isEqual([first?.headers["x-two"], first?.headers["host"]], ["2", host], "X-Two, and Host, which a program cannot choose")
        yield* isEqual(first?.headers["content-length"], "2", "Content-Length, which a program cannot choose")
        yield* isEqual(
          [second?.method, second?.body, second?.headers["content-length"]],
          ["GET", "", undefined],
          "a request without a body"
        )
      })
  )

const refusesBrokenHeaders = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    (_request, response) => response.end("ok"),
    ({ received }) =>
      Effect.gen(function* () {
        for (const header of [
          ["X", "a\r\nY: b"],
          ["X\r\nY", "a"],
          ["X", "a\0b"],
          ["X y", "a"]
        ] as const) {
          yield* isRejected(yield* ask({ headers: [header] }), `the header ${JSON.stringify(header)}`)
        }
        yield* isEqual(received.length, 0, "requests that reached the upstream")
      })
  )

const boundsAnswers = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    ({ url }, response) => {
      const size = Number(url?.slice(1))
      // Chunked, so that its length is not known before.
      response.write("x".repeat(size - 1))
      response.end("x")
    },
    () =>
      Effect.gen(function* () {
        yield* isEqual(textOf(yield* ask({ url: `http://${host}/1000` })).length, 1_000, "the bytes of an answer as large as allowed")
        yield* isRejected(yield* ask({ url: `http://${host}/1001` }), "one byte more")
        yield* isRejected(yield* ask({ url: `http://${host}/500000` }), "an answer that is much too large")
      })
  )

const neverFails = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    ({ url }, response) => {
      if (url === "/gone") response.socket?.destroy()
    },
    () =>
      Effect.gen(function* () {
        yield* isRejected(yield* ask({ url: `http://${host}/gone` }), "a connection that ends without an answer")
        const late = yield* ask({ url: `http://${host}/late`, timeoutMs: 150 })
        yield* isRejected(late, "an answer that does not come in time")
        yield* holdsThat(late.kind === "rejected" && late.timedOut, "timedOut says so")
        for (const url of ["ftp://upstream.test/", "file:///etc/hostname", "no address", "http://"]) {
          yield* isRejected(yield* ask({ url }), url)
        }
      })
  )

/** Spellings of this machine; the laws try no other address, so that nothing leaves it. */
const loopback = (port: number): ReadonlyArray<string> =>
  ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "localhost"].map(
    (name) => `http://${name}:${port}/`
  )

const reachesNoPrivateAddress = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    ({ url }, response) => {
      if (url?.startsWith("/to?") === true) response.writeHead(302, { location: decodeURIComponent(url.slice("/to?".length)) }).end()
      else response.end("a secret")
    },
    ({ port, received }) =>
      Effect.gen(function* () {
        for (const url of loopback(port)) {
          yield* isRejected(yield* ask({ url, timeoutMs: 5_000 }), url)
          const redirect = yield* ask({ url: `http://${host}/to?${encodeURIComponent(url)}`, timeoutMs: 5_000 })
          yield* isRejected(redirect, `a redirect to ${url}`)
        }
        const reached = received.filter(({ url }) => url?.startsWith("/to?") !== true)
        yield* isEqual(reached.length, 0, "requests that reached this machine by its own address")
      })
  )

const followsRedirects = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    ({ url }, response) => {
      if (url === "/old") response.writeHead(302, { location: `http://${host}/new` }).end()
      else if (url === "/round") response.writeHead(302, { location: "/round" }).end()
      else response.end("here")
    },
    () =>
      Effect.gen(function* () {
        const response = yield* ask({ url: `http://${host}/old` })
        yield* isEqual(textOf(response), "here", "the answer behind a redirect")
        yield* isEqual(response.kind === "answered" ? response.url : "", `http://${host}/new`, "the final address")
        yield* isRejected(yield* ask({ url: `http://${host}/round` }), "a redirect without end")
      })
  )

const obeysTheProject = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    (_request, response) => response.end("ok"),
    ({ received }) =>
      Effect.gen(function* () {
        yield* isRejected(yield* ask({ allowedHosts: ["other.test"] }), "a host that the project may not reach")
        yield* isRejected(yield* ask({ allowedHosts: [] }), "any host, if the project may reach none")
        yield* isEqual(received.length, 0, "requests that reached the upstream")
        yield* isEqual(textOf(yield* ask({ allowedHosts: [host] })), "ok", "the answer of a host that it may reach")
      })
  )

/** A hundred times what it takes. */
const patience = Duration.seconds(10)

const endsWithItsCaller = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    () => {},
    ({ left, received }) =>
      Effect.gen(function* () {
        const asking = yield* Effect.fork(ask())
        const arrived = Effect.repeat(Effect.sleep(Duration.millis(5)), { until: () => received.length > 0 })
        yield* Effect.timeoutOption(arrived, patience)
        yield* Fiber.interrupt(asking)
        const gone = Effect.repeat(Effect.sleep(Duration.millis(5)), { until: () => left() > 0 })
        yield* Effect.timeoutOption(gone, patience)
        yield* isEqual(left(), 1, "connections that ended with their caller")
      })
  )

const keepsAnswersApart = (make: MakeHttpFetch): Body =>
  withUpstream(
    make,
    ({ url = "" }, response) => response.end(url),
    () =>
      Effect.gen(function* () {
        const paths = Array.from({ length: 60 }, (_, at) => `/${at}`)
        const answers = yield* Effect.all(
          paths.map((path) => ask({ url: `http://${host}${path}` })),
          { concurrency: "unbounded" }
        )
        yield* isEqual(answers.map(textOf), paths, "the answers of sixty requests at once")
      })
  )

const bodies: Readonly<Record<string, (make: MakeHttpFetch) => Body>> = {
  "an answer has its status, headers, bytes, address and declared length, whatever the status": answersAsTheyCome,
  "a request is sent as it was asked for, except what belongs to the connection": sendsWhatIsAsked,
  "a header that would break the request is refused before anything is sent": refusesBrokenHeaders,
  "an answer has at most as many bytes as allowed, whether its length is declared or not": boundsAnswers,
  "whatever goes wrong is a rejection with a text, never a failure": neverFails,
  "this machine is not reached by its own address, in any spelling, nor by a redirect": reachesNoPrivateAddress,
  "redirects are followed to an end": followsRedirects,
  "a project reaches only the hosts that it may": obeysTheProject,
  "a request ends with its caller": endsWithItsCaller,
  "sixty requests at once each get an answer of their own": keepsAnswersApart
}

/** The laws over an outbound HTTP from `make`. They listen on loopback, and send nothing anywhere else. */
export const httpFetchLaws = (make: MakeHttpFetch): ReadonlyArray<Law> => {
  const checked = checkedMake(make)
  return Object.entries(bodies).flatMap(([name, body]) => plainLaws({ [name]: body(checked) }, () => Layer.empty))
}
