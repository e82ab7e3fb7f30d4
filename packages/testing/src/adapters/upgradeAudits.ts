/** Audits of upgrade requests that are refused or invalid, in adapters. */
import { type Audit, audit } from "../audits/audit.ts"
import { holds, same } from "../audits/check.ts"
import { type AdapterTarget, ask } from "./adapterTarget.ts"
import { openRawConnection, type RawConnection, patienceMs } from "../wire/rawConnection.ts"

/** Opens a connection and requests a WebSocket on it. */
const askForUpgrade = async (target: AdapterTarget, path: string, ...more: ReadonlyArray<string>): Promise<RawConnection> => {
  const { host, pathname, search } = new URL(`${target.baseUrl}${path}`)
  const connection = await openRawConnection(target.baseUrl)
  await connection.write(
    [
      `GET ${pathname}${search} HTTP/1.1`,
      `host: ${host}`,
      "authorization: Bearer wrong",
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      ...more,
      "",
      ""
    ].join("\r\n")
  )
  return connection
}

const refusesByHttp = audit<AdapterTarget>(
  "ADAPTER-UPGRADE-001",
  "MUST",
  "D18",
  "a refused upgrade is answered by HTTP, before any frame",
  async (target) => {
    const connection = await askForUpgrade(target, "/refused")
    const answer = await connection.answered(patienceMs)
    connection.reset()
    return [
      same("status", answer?.status, 401),
      same("body", answer?.body, '{"refused":"Bearer wrong"}'),
      same("content type", answer?.headers["content-type"], "application/json")
    ]
  }
)

const survivesResets = audit<AdapterTarget>(
  "ADAPTER-UPGRADE-002",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "a client's reset during its upgrade request affects no other client",
  async (target) => {
    for (let round = 0; round < 5; round += 1) {
      const connection = await askForUpgrade(target, "/refused?ms=100")
      await connection.answered(20)
      connection.reset()
    }
    // A last one that is answered after the responses to the others were due.
    const last = await askForUpgrade(target, "/refused?ms=200")
    const answer = await last.answered(patienceMs)
    last.reset()
    return [
      same("a later upgrade is answered", answer?.status, 401),
      same("the server still answers", (await ask(target, "/mirror")).status, 200)
    ]
  }
)

const doesNotHangForeignUpgrades = audit<AdapterTarget>(
  "ADAPTER-UPGRADE-003",
  "SHOULD",
  "D13",
  "an upgrade request for an unknown path is answered, not left open",
  async (target) => {
    const connection = await askForUpgrade(target, "/nothing/here")
    const answer = await connection.answered(patienceMs)
    connection.reset()
    return [holds("answered with 404", answer?.status === 404, answer?.status)]
  }
)

/** Requests that offer HTTP/2, as some HTTP libraries send them by default. */
const plainRequests = [
  ["GET", "/mirror", ""],
  ["POST", "/body?max=100", "a body"]
] as const

const ignoresOtherOffers = audit<AdapterTarget>(
  "ADAPTER-UPGRADE-004",
  "MUST",
  "RFC 9110, section 7.8",
  "a request that only offers another protocol is answered like any other, with its body",
  async (target) => {
    const { host, pathname } = new URL(target.baseUrl)
    const checks = plainRequests.map(async ([method, path, body]) => {
      const connection = await openRawConnection(target.baseUrl)
      const offer = ["connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABkAARAAAAAAAIAAAAA"]
      const head = [`${method} ${pathname}${path} HTTP/1.1`, `host: ${host}`, ...offer, `content-length: ${body.length}`]
      await connection.write([...head, "", body].join("\r\n"))
      const answer = await connection.answered(patienceMs)
      connection.reset()
      return [
        same(`status of ${method}`, answer?.status, 200),
        same(`answered by the service, ${method}`, answer?.headers["x-mirror"], "service"),
        holds(`the body of ${method} arrived`, answer?.body.includes(Buffer.from(body).toString("base64")) === true, answer?.body)
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

/** What is offered with a path, and the subprotocol of the answer. */
const offers: ReadonlyArray<readonly [path: string, offered: string | undefined, selected: string | undefined]> = [
  ["/open?protocol=second", "first, second", "second"],
  ["/open", "first, second", undefined],
  ["/open", undefined, undefined]
]

const selectsAsTold = audit<AdapterTarget>(
  "ADAPTER-UPGRADE-005",
  "MUST",
  "D52",
  "the subprotocol that the service has selected is in the answer, and no other",
  async (target) => {
    const checks = offers.map(async ([path, offered, selected]) => {
      const connection = await askForUpgrade(target, path, ...(offered === undefined ? [] : [`sec-websocket-protocol: ${offered}`]))
      const answer = await connection.answered(patienceMs)
      connection.reset()
      // An empty name selects nothing; some servers can only leave it out so.
      const answered = answer?.headers["sec-websocket-protocol"] ?? ""
      return [same(`opened, ${path}`, answer?.status, 101), same(`selected of ${offered}`, answered, selected ?? "")]
    })
    return (await Promise.all(checks)).flat()
  }
)

/** Upgrade requests, refused or ignored, and what an opened one selects. */
export const upgradeAudits: ReadonlyArray<Audit<AdapterTarget>> = [
  refusesByHttp,
  survivesResets,
  doesNotHangForeignUpgrades,
  ignoresOtherOffers,
  selectsAsTold
]
