/** Every way in that can be configured, at a real server: TLS of a private authority, user, nkey and credentials file; and a leaf node. */
import { createAccount, createOperator, createUser, encodeAccount, encodeOperator, encodeUser, fmtCreds } from "@nats-io/jwt"
import { Context, Effect, Either, Layer, Redacted, type Scope } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../testdata/eventually.ts"
import { describeNats, startNats } from "../testdata/natsServer.ts"
import { obstacleOf } from "./firstConnection.ts"
import { NatsConnection } from "./natsConnection.ts"
import { checkedNatsOptions } from "./checkedNatsOptions.ts"
import type { NatsOptions } from "./natsOptions.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))

const connectTo = (options: NatsOptions) =>
  Effect.map(Layer.build(NatsConnection.layer(options)), (context) => Context.get(context, NatsConnection))

/** What became of a connection: `connected`, or the error's tag and text. */
const outcomeOf = (options: NatsOptions) =>
  Effect.map(Effect.either(Effect.scoped(connectTo(options))), (either) =>
    Either.isRight(either) ? "connected" : `${either.left._tag}: ${either.left.message}`
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sibyl-security-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { stdio: "pipe" })

/** Authorities, each with a certificate for loopback and one for a client; the second one is known to nobody. */
const authorities = (path: string) => {
  const file = (name: string) => join(path, name)
  writeFileSync(file("loopback"), "subjectAltName=IP:127.0.0.1")
  for (const name of ["ca", "other"]) {
    openssl("req", "-x509", ...newKey, "-subj", `/CN=${name}`, "-keyout", file(`${name}.key`), "-out", file(`${name}.pem`))
  }
  for (const [name, authority] of [
    ["server", "ca"],
    ["client", "ca"],
    ["stranger", "other"]
  ] as const) {
    openssl("req", "-new", ...newKey.slice(0, -2), "-subj", `/CN=${name}`, "-keyout", file(`${name}.key`), "-out", file(`${name}.csr`))
    const signer = ["-CA", file(`${authority}.pem`), "-CAkey", file(`${authority}.key`), "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", file(`${name}.csr`), ...signer, "-extfile", file("loopback"), "-out", file(`${name}.pem`))
  }
  return file
}

/** Without them, an account may have no connection at all. */
const unlimited = { conn: -1, data: -1, exports: -1, imports: -1, leaf: -1, payload: -1, subs: -1, wildcards: true }

describeNats("the way to a server", () => {
  describe.skipIf(!hasOpenssl)(hasOpenssl ? "over TLS" : "over TLS (skipped: no openssl is installed)", () => {
    it("is open to whoever trusts its authority and is trusted by it, and says who is not", () =>
      run(
        Effect.gen(function* () {
          const file = authorities(yield* folder)
          const secured = `tls { cert_file: "${file("server.pem")}", key_file: "${file("server.key")}", ca_file: "${file("ca.pem")}", verify: true }`
          const { port } = yield* startNats({ configuration: secured })
          const servers = [`tls://127.0.0.1:${port}`]
          const client = { certFile: file("client.pem"), keyFile: file("client.key") }
          const connection = yield* connectTo({ servers, tls: { caFile: file("ca.pem"), ...client } })
          const heard: Array<number> = []
          yield* connection.subscribe("a", ({ data }) => heard.push(data.length))
          yield* connection.flushed
          // More than a record of TLS.
          connection.publish("a", new Uint8Array(100_000))
          yield* eventually(() => heard.length === 1)
          expect(heard).toEqual([100_000])

          const untrusted = /^NatsRefused: the certificate of NATS at 127\.0\.0\.1:\d+ is not trusted: /
          expect(yield* outcomeOf({ servers, tls: { caFile: file("other.pem"), ...client } })).toMatch(untrusted)
          expect(yield* outcomeOf({ servers, tls: client })).toMatch(untrusted)
          expect(yield* outcomeOf({ servers: [`tls://localhost:${port}`], tls: { caFile: file("ca.pem"), ...client } })).toMatch(
            /^NatsRefused: the certificate of NATS at localhost:\d+ is not trusted: .*localhost/
          )
          const stranger = { certFile: file("stranger.pem"), keyFile: file("stranger.key") }
          const others = yield* Effect.forEach(
            [{}, stranger],
            (own) => outcomeOf({ servers, tls: { caFile: file("ca.pem"), ...own }, firstConnectMs: 300 }),
            { concurrency: 2 }
          )
          // That is all that the client learns of it.
          for (const other of others) expect(other).toMatch(/^NatsUnreachable: .* over TLS: timeout; .* certificate/)
          expect(yield* outcomeOf({ servers, tls: { caFile: join(file("absent"), "ca.pem") } })).toMatch(
            /^NatsMisconfigured: caFile .* cannot be read/
          )
        })
      ))

    it("is not taken in the clear where it was to be encrypted", () =>
      run(
        Effect.gen(function* () {
          const { port } = yield* startNats()
          expect(yield* outcomeOf({ servers: [`tls://127.0.0.1:${port}`] })).toMatch(/^NatsRefused: NATS at 127\.0\.0\.1:\d+ has no TLS/)
          // Whoever had a connection is told the same.
          const checked = (scheme: string) => checkedNatsOptions({ servers: [`${scheme}://127.0.0.1:${port}`] })
          expect(yield* obstacleOf(yield* checked("tls"))).toMatchObject({ message: expect.stringMatching(/has no TLS/) })
          expect(yield* obstacleOf(yield* checked("nats"))).toBeUndefined()
        })
      ))
  })

  it("is open to the seed of an nkey that it knows, and to no other", () =>
    run(
      Effect.gen(function* () {
        const [known, stranger] = [createUser(), createUser()]
        const { url } = yield* startNats({ configuration: `authorization { users = [ { nkey: ${known.getPublicKey()} } ] }` })
        const seedOf = (pair: typeof known) => Redacted.make(new TextDecoder().decode(pair.getSeed()))
        expect(yield* outcomeOf({ servers: [url], nkeySeed: seedOf(known) })).toBe("connected")
        const refused = yield* outcomeOf({ servers: [url], nkeySeed: seedOf(stranger) })
        expect(refused).toMatch(/^NatsRefused/)
        expect(refused).not.toContain(Redacted.value(seedOf(stranger)))
      })
    ))

  it("is open to credentials of its operator's account, and to no others", () =>
    run(
      Effect.gen(function* () {
        const path = yield* folder
        const [operator, account, user, otherAccount] = [createOperator(), createAccount(), createUser(), createAccount()]
        const texts = yield* Effect.promise(async () => ({
          operator: await encodeOperator("operator", operator),
          account: await encodeAccount("account", account, { limits: unlimited }, { signer: operator }),
          user: await encodeUser("user", user, account),
          stranger: await encodeUser("stranger", user, otherAccount)
        }))
        const configuration = `operator: ${texts.operator}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${texts.account} }`
        const { url } = yield* startNats({ configuration })
        const credentials = (name: "user" | "stranger"): string => {
          const file = join(path, `${name}.creds`)
          writeFileSync(file, fmtCreds(texts[name], user))
          return file
        }
        expect(yield* outcomeOf({ servers: [url], credentialsFile: credentials("user") })).toBe("connected")
        expect(yield* outcomeOf({ servers: [url], credentialsFile: credentials("stranger") })).toMatch(/^NatsRefused/)
      })
    ))
})
