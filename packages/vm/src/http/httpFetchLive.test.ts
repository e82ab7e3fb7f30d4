/** The outbound fetch against real servers on loopback: answers, redirects, headers, limits, time-outs, interruption. */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Effect, Fiber } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { createServer as createTcpServer } from "node:net"
import { gzipSync } from "node:zlib"
import { afterEach, describe, expect, test } from "vitest"
import { layerHttpFetch, type OutboundOptions } from "./httpFetchLive.ts"
import { goodTestCertificate, goodTestKey, testAuthority } from "./testdata/certificates.ts"
import { closeServers, fetchOnce, listen, rejected, request, serve, serveRaw, overriding, text } from "./testdata/loopbackFetch.ts"

afterEach(closeServers)

describe("an answer", () => {
  test("has status, headers, bytes, address and declared length", async () => {
    const port = await serve((_, response) => {
      response.writeHead(404, { "X-One": "1", "Set-Cookie": ["a=1", "b=2"], "Content-Length": "5" })
      response.end("hello")
    })
    const response = await fetchOnce(overriding(port), request("https://upstream.test/a/../b?c=d#fragment"))
    const url = "https://upstream.test/b?c=d"
    expect(response).toMatchObject({ kind: "answered", status: 404, url, contentLength: 5 })
    expect(text(response)).toBe("hello")
    const headers = new Map(response.kind === "answered" ? response.headers : [])
    expect([headers.get("x-one"), headers.get("set-cookie")]).toEqual(["1", "a=1, b=2"])
  })

  test("is not decompressed, and compression is not requested", async () => {
    const zipped = gzipSync("a".repeat(10_000))
    const seen: Array<string | undefined> = []
    const port = await serve((incoming, response) => {
      seen.push(incoming.headers["accept-encoding"]?.toString())
      response.writeHead(200, { "content-encoding": "gzip" })
      response.end(zipped)
    })
    const headers = [["Accept-Encoding", "gzip"]] as const
    const response = await fetchOnce(overriding(port), request("http://upstream.test/", { headers }))
    expect(seen).toEqual(["identity"])
    expect(response.kind === "answered" && Buffer.compare(response.bytes, zipped)).toBe(0)
  })

  test.each([
    ["declared", { "content-length": "1001" }],
    ["chunked", {}]
  ])("above the limit is refused, %s", async (_, headers) => {
    const port = await serve((_, response) => {
      response.writeHead(200, headers)
      response.end("x".repeat(1_001))
    })
    expect(await fetchOnce(overriding(port), request("http://upstream.test/"))).toEqual(
      rejected("outbound request failed: the answer is larger than 1000 bytes")
    )
  })

  test("of exactly the limit is complete", async () => {
    const port = await serve((_, response) => response.end("x".repeat(1_000)))
    expect(text(await fetchOnce(overriding(port), request("http://upstream.test/")))).toBe("x".repeat(1_000))
  })

  test("in many small chunks is cut off, however short it is", async () => {
    const smallChunks = "1\r\nx\r\n".repeat(200_000)
    const port = await serveRaw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${smallChunks}0\r\n\r\n`)
    const response = await fetchOnce(overriding(port), request("http://upstream.test/", { maxResponseBytes: 1_048_576 }))
    const cut = rejected("outbound request failed: the answer comes in too many chunks")
    // Bun's client joins the chunks of one read before they can be seen.
    expect([text(cut), "x".repeat(200_000)]).toContain(text(response))
    if (process.versions["bun"] === undefined) expect(response).toEqual(cut)
  })

  test("after a few interim answers is read, after many it is not", async () => {
    const behind = async (interim: number): Promise<OutboundResponse> => {
      const before = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(interim)
      const port = await serveRaw(`${before}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)
      return fetchOnce(overriding(port), request("http://upstream.test/"))
    }
    expect(text(await behind(3))).toBe("ok")
    if (process.versions["bun"] === undefined) {
      expect(await behind(10_000)).toEqual(rejected("outbound request failed: too many interim answers"))
    } else expect((await behind(10_000)).kind).toMatch(/^(answered|rejected)$/)
  })

  test("to HEAD may declare any length", async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { "content-length": "99999" })
      response.end()
    })
    expect(await fetchOnce(overriding(port), request("http://upstream.test/", { method: "HEAD" }))).toMatchObject({
      kind: "answered",
      status: 200,
      contentLength: 99_999,
      bytes: new Uint8Array()
    })
  })

  const closed = "outbound request failed: the connection was closed before the answer was complete"
  const notHttp = "outbound request failed: the answer is not valid HTTP"
  test.each([
    ["nothing", "", closed],
    ["part of a body", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc", closed],
    ["another protocol", "SSH-2.0-OpenSSH_9.0\r\n", notHttp],
    ["a switch of protocols", "HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nabc", notHttp],
    ["a status that is none", "HTTP/1.1 000 X\r\ncontent-length: 3\r\n\r\nabc", notHttp],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde", notHttp],
    [
      "huge headers",
      `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(70_000)}\r\n\r\nabc`,
      "outbound request failed: the answer's headers are larger than 32768 bytes"
    ]
  ])("that is %s is a rejection with our own text", async (_, bytes, message) => {
    const port = await serveRaw(bytes)
    expect(await fetchOnce(overriding(port), request("http://upstream.test/"))).toEqual(rejected(message))
  })

  test("from a closed port reveals no address", async () => {
    const port = await serve(() => undefined)
    closeServers()
    expect(await fetchOnce(overriding(port), request("http://upstream.test/"))).toEqual(
      rejected("outbound request failed: the connection was refused")
    )
  })
})

describe("a request", () => {
  const echo = () =>
    serve((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        response.end(
          JSON.stringify({
            method: incoming.method,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString()
          })
        )
      })
    })
  interface Echo {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body: string
  }
  const echoed = async (options: OutboundOptions, outbound: OutboundRequest) => JSON.parse(text(await fetchOnce(options, outbound))) as Echo

  test("sends method, headers and body; the framing is ours", async () => {
    const port = await echo()
    const seen = await echoed(
      overriding(port),
      request("http://upstream.test/", {
        method: "POST",
        headers: [
          ["Host", "evil.test"],
          ["Content-Length", "1"],
          ["Transfer-Encoding", "chunked"],
          ["Connection", "upgrade"],
          ["Upgrade", "h2c"],
          ["X-Mine", "yes"],
          ["Content-Type", "text/plain"]
        ],
        body: new TextEncoder().encode("hello")
      })
    )
    expect(seen).toMatchObject({ method: "POST", body: "hello" })
    expect(seen.headers).toMatchObject({
      host: "upstream.test",
      "content-length": "5",
      connection: "close",
      "x-mine": "yes",
      "content-type": "text/plain"
    })
    for (const name of ["transfer-encoding", "upgrade"]) expect(seen.headers).not.toHaveProperty(name)
  })

  test.each(["POST", "PUT", "PATCH"])("%s without a body declares an empty one", async (method) => {
    const port = await echo()
    const seen = await echoed(overriding(port), request("http://upstream.test/", { method }))
    expect(seen.headers["content-length"]).toBe("0")
  })

  const badMethods = ["TRACE", "CONNECT", "get", "", "GET / HTTP/1.1\r\nX: y\r\n"]
  test.each(badMethods)("with method %j is not sent", async (method) => {
    const port = await echo()
    expect(await fetchOnce(overriding(port), request("http://upstream.test/", { method }))).toEqual(
      rejected("outbound request refused: the method is not allowed")
    )
  })

  test("has the operator's headers for their host only, which override the program's", async () => {
    const port = await echo()
    const options: OutboundOptions = {
      hostOverrides: { "upstream.test": `http://127.0.0.1:${port}`, "other.test": `http://127.0.0.1:${port}` },
      hostHeaders: { "UPSTREAM.test": { "X-Api-Key": "secret" } }
    }
    const keySeen = async (url: string) => (await echoed(options, request(url, { headers: [["x-api-key", "guess"]] }))).headers["x-api-key"]
    expect(await keySeen("https://upstream.test/")).toBe("secret")
    expect(await keySeen("https://upstream.test./")).toBe("secret")
    expect(await keySeen("https://other.test/")).toBe("guess")
  })

  test("outside the allow-list is not sent", async () => {
    const port = await echo()
    const hosts = ["a.test", "sub.b.test", "b.test", "nota.test"]
    const options: OutboundOptions = {
      allowHosts: ["a.test", "*.b.test"],
      hostOverrides: Object.fromEntries(hosts.map((host) => [host, `http://127.0.0.1:${port}`]))
    }
    const kinds = await Promise.all(hosts.map((host) => fetchOnce(options, request(`http://${host}/`))))
    expect(kinds.map(({ kind }) => kind)).toEqual(["answered", "answered", "rejected", "rejected"])
  })
})

describe("a redirect", () => {
  /** Answers `/STATUS?to=URL` with a redirect, and anything else with the request that it received. */
  const redirector = () =>
    serve((incoming, response) => {
      const url = new URL(incoming.url ?? "", "http://x")
      const status = Number(url.pathname.slice(1))
      if (Number.isNaN(status) || status === 0) {
        response.end(JSON.stringify({ method: incoming.method, path: incoming.url, headers: incoming.headers }))
      } else {
        response.writeHead(status, { location: url.searchParams.get("to") ?? "" })
        response.end("a body nobody reads")
      }
    })
  const both = (port: number): OutboundOptions => ({
    hostOverrides: { "a.test": `http://127.0.0.1:${port}`, "b.test": `http://127.0.0.1:${port}` }
  })
  const credentials = [
    ["Authorization", "Bearer x"],
    ["Cookie", "a=b"],
    ["X-Api-Key", "k"],
    ["Accept", "text/plain"]
  ] as const

  test("within an origin keeps the headers, across origins only harmless ones", async () => {
    const port = await redirector()
    const follow = async (to: string) => {
      const url = `https://a.test/302?to=${encodeURIComponent(to)}`
      const answer = text(await fetchOnce(both(port), request(url, { headers: credentials })))
      return (JSON.parse(answer) as { readonly headers: Record<string, string> }).headers
    }
    expect(await follow("/final")).toMatchObject({ authorization: "Bearer x", cookie: "a=b", "x-api-key": "k" })
    const headers = await follow("https://b.test/final")
    expect(headers["accept"]).toBe("text/plain")
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(headers).not.toHaveProperty(name)
  })

  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
    [301, "PUT", "PUT"],
    [303, "HEAD", "HEAD"]
  ])("%i of %s is followed as %s", async (status, method, then) => {
    const port = await redirector()
    const seen: Array<string | undefined> = []
    const spy = await serve((incoming, response) => {
      seen.push(incoming.method)
      response.end()
    })
    const options = { hostOverrides: { "a.test": `http://127.0.0.1:${port}`, "b.test": `http://127.0.0.1:${spy}` } }
    const response = await fetchOnce(options, request(`http://a.test/${status}?to=http://b.test/x`, { method }))
    expect(response).toMatchObject({ kind: "answered", status: 200, url: "http://b.test/x" })
    expect(seen).toEqual([then])
  })

  test("to a private address, down to http or to another scheme is refused", async () => {
    const port = await redirector()
    const follow = (scheme: string, to: string) => fetchOnce(both(port), request(`${scheme}://a.test/302?to=${encodeURIComponent(to)}`))
    expect(await follow("https", "https://127.0.0.1/")).toEqual(rejected("outbound request refused: the host has no public address"))
    expect(await follow("https", "http://b.test/")).toEqual(rejected("outbound request refused: a redirect leads from https to http"))
    expect(await follow("http", "file:///etc/passwd")).toEqual(rejected("outbound request refused: only http and https URLs are allowed"))
  })

  test("is followed at most ten times", async () => {
    const port = await serve((incoming, response) => {
      const left = Number((incoming.url ?? "").slice(1))
      response.writeHead(left === 0 ? 200 : 302, { location: `/${left - 1}` })
      response.end("end")
    })
    expect(text(await fetchOnce(overriding(port), request("http://upstream.test/10")))).toBe("end")
    expect(await fetchOnce(overriding(port), request("http://upstream.test/11"))).toEqual(
      rejected("outbound request failed: more than 10 redirects")
    )
  })
})

describe("time", () => {
  test("out: one text, flagged, over all hops together, and the connection is closed", async () => {
    let open = 0
    const port = await serve((incoming) => {
      open += 1
      incoming.socket.on("close", () => {
        open -= 1
      })
    })
    expect(await fetchOnce(overriding(port), request("http://upstream.test/", { timeoutMs: 50 }))).toEqual({
      kind: "rejected",
      message: "HTTP fetch time limit exceeded (50ms)",
      timedOut: true
    })
    await expect.poll(() => open).toBe(0)
  })

  test("covers a name that is never resolved and a body that never ends", async () => {
    const port = await serve((_, response) => {
      response.write("x")
    })
    const waiting = { ...overriding(port, "other.test"), resolve: () => new Promise<never>(() => undefined) }
    for (const url of ["http://upstream.test/", "http://other.test/"]) {
      expect(await fetchOnce(waiting, request(url, { timeoutMs: 50 }))).toMatchObject({ timedOut: true })
    }
  })

  test("interruption closes the connection", async () => {
    let open = 0
    const port = await serve((incoming) => {
      open += 1
      incoming.socket.on("close", () => {
        open -= 1
      })
    })
    await Effect.gen(function* () {
      const { fetch } = yield* HttpFetch
      const fiber = yield* Effect.fork(fetch(request("http://upstream.test/")))
      yield* Effect.promise(() => expect.poll(() => open).toBe(1))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => expect.poll(() => open).toBe(0))
    }).pipe(Effect.provide(layerHttpFetch(overriding(port))), Effect.runPromise)
  })
})

describe("connections", () => {
  /** Runs requests one after the other over the same connections. */
  const fetchInTurn = (options: OutboundOptions, ...requests: ReadonlyArray<OutboundRequest>) =>
    HttpFetch.pipe(
      Effect.flatMap(({ fetch }) => Effect.forEach(requests, (each) => fetch(each))),
      Effect.provide(layerHttpFetch(options)),
      Effect.runPromise
    )

  test("are reused for repeatable requests, not for others, and resolved once each", async () => {
    const clientPorts: Array<number | undefined> = []
    const port = await serve((incoming, response) => {
      clientPorts.push(incoming.socket.remotePort)
      response.end("ok")
    })
    let lookups = 0
    const options: OutboundOptions = {
      hostOverrides: { "upstream.test": `http://internal.test:${port}` },
      resolve: () => {
        lookups += 1
        return Promise.resolve(["127.0.0.1"])
      }
    }
    const [get, post] = [request("http://upstream.test/"), request("http://upstream.test/", { method: "POST" })]
    expect((await fetchInTurn(options, get, get, get, post, post)).map(text)).toEqual(["ok", "ok", "ok", "ok", "ok"])
    expect(new Set(clientPorts.slice(0, 3)).size).toBe(1)
    expect(new Set(clientPorts).size).toBe(3)
    expect(lookups).toBe(3)
  })

  test("that the sender may be known by are not shared", async () => {
    const clientPorts: Array<number | undefined> = []
    const port = await serve((incoming, response) => {
      clientPorts.push(incoming.socket.remotePort)
      response.end("ok")
    })
    const get = request("http://upstream.test/")
    const known = ["Negotiate YII=", "ntlm TlRM"].map((value) => request("http://upstream.test/", { headers: [["Authorization", value]] }))
    await fetchInTurn(overriding(port), get, ...known, get)
    expect(new Set(clientPorts).size).toBe(3)
    expect(clientPorts[3]).toBe(clientPorts[0])
  })

  test("of hundreds of requests at once are kept for the next ones", async () => {
    let connections = 0
    const waiting: Array<ServerResponse> = []
    const count = 200
    // All are under way before one is answered, and none is closed before the next ones: that takes a busy machine more than five seconds.
    const server = createServer((_, response) => {
      if (waiting.push(response) === count) for (const one of waiting.splice(0)) one.end("ok")
    })
    server.keepAliveTimeout = 120_000
    const port = await listen(server.on("connection", () => (connections += 1)))
    await Effect.gen(function* () {
      const { fetch } = yield* HttpFetch
      const all = Effect.forEach(Array.from({ length: count }), () => fetch(request("http://upstream.test/")), { concurrency: "unbounded" })
      yield* all
      const before = connections
      yield* Effect.sleep(10)
      yield* all
      expect([before, connections]).toEqual([count, count])
    }).pipe(Effect.provide(layerHttpFetch(overriding(port))), Effect.runPromise)
  })

  test("that the upstream has closed are replaced without a failure", async () => {
    let connections = 0
    const port = await listen(
      createTcpServer((socket) => {
        connections += 1
        let requests = 0
        socket.on("error", () => socket.destroy())
        socket.on("data", () => {
          requests += 1
          // The second request on a connection meets a server that has just closed it.
          if (requests === 2) socket.destroy()
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        })
      })
    )
    const get = request("http://upstream.test/")
    expect((await fetchInTurn(overriding(port), get, get, get)).map(text)).toEqual(["ok", "ok", "ok"])
    expect(connections).toBe(3)
  })

  test("of an override are not given to a program that names its private host", async () => {
    const targets: Array<string | undefined> = []
    const port = await serve((incoming, response) => {
      targets.push(incoming.url)
      response.end("ok")
    })
    const options: OutboundOptions = {
      hostOverrides: { "upstream.test": `http://internal.test:${port}` },
      resolve: () => Promise.resolve(["127.0.0.1"])
    }
    const direct = request(`http://internal.test:${port}/stolen`)
    const answers = await fetchInTurn(options, request("http://upstream.test/fine"), direct)
    expect(answers.map(text)).toEqual(["ok", "rejected: outbound request refused: the host has no public address"])
    expect(targets).toEqual(["/fine"])
  })

  test("use the checked address, whatever the name resolves to later", async () => {
    const port = await serve((incoming, response) => response.end(incoming.socket.localAddress))
    const answers = [["127.0.0.1"], ["127.0.0.2"]]
    const options: OutboundOptions = {
      hostOverrides: { "upstream.test": `http://internal.test:${port}` },
      resolve: () => Promise.resolve(answers.shift() ?? [])
    }
    expect(text(await fetchOnce(options, request("http://upstream.test/")))).toBe("127.0.0.1")
    expect(answers).toEqual([["127.0.0.2"]])
  })

  test("end with the layer", async () => {
    let open = 0
    const port = await listen(
      createServer((_, response) => response.end("ok")).on("connection", (socket) => {
        open += 1
        socket.on("close", () => {
          open -= 1
        })
      })
    )
    await fetchOnce(overriding(port), request("http://upstream.test/"))
    await expect.poll(() => open).toBe(0)
  })
})

describe("a secure connection", () => {
  const serveSecurely = () =>
    listen(
      createSecureServer({ cert: goodTestCertificate, key: goodTestKey }, (incoming, response) => {
        response.end(`hello ${incoming.headers.host}`)
      })
    )
  const options = (host: string, port: number, extraCaPem: ReadonlyArray<string>): OutboundOptions => ({
    hostOverrides: { "upstream.test": `https://${host}:${port}` },
    resolve: () => Promise.resolve(["127.0.0.1"]),
    extraCaPem
  })
  const insecure = rejected("outbound request failed: the secure connection could not be established")

  test("needs a trusted authority and a certificate for the name", async () => {
    const port = await serveSecurely()
    const outbound = request("https://upstream.test/")
    expect(text(await fetchOnce(options("good.test", port, [testAuthority]), outbound))).toBe("hello upstream.test")
    expect(await fetchOnce(options("good.test", port, []), outbound)).toEqual(insecure)
    expect(await fetchOnce(options("bad.test", port, [testAuthority]), outbound)).toEqual(insecure)
    expect(await fetchOnce(options("127.0.0.1", port, [testAuthority]), outbound)).toEqual(insecure)
  })

  test("fails with a server that does not support it", async () => {
    const port = await serve((_, response) => response.end("plain"))
    const outbound = request("https://upstream.test/")
    expect(await fetchOnce(options("good.test", port, [testAuthority]), outbound)).toEqual(insecure)
  })
})

test("invalid options are a defect that names the option", async () => {
  await expect(fetchOnce({ allowHosts: ["a.test/x"] }, request("http://a.test/"))).rejects.toThrow(
    /^outbound\.allowHosts: not a host: a\.test\/x$/
  )
})
