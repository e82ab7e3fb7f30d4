/** After requests of every kind, no secret is in the database, the log or an answer. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { auditPrograms } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterEach, expect, test } from "vitest"
import { everyByte } from "./testdata/everyByte.ts"
import { type Answers, sendRequestMix, wrongKeys } from "./testdata/requestMix.ts"
import { chosenSeed, seededRandom } from "./testdata/seededRandom.ts"
import { describeKinds, Site } from "./testdata/site.ts"

/** About 140 kinds: each with the right key and with four wrong ones. */
const requests = soakCount({ everyday: 1_500, full: 10_000 })
const upstreamHost = "hermes.pyth.network"
const upstreamSecret = "upstream-secret-9b1f5ac0de"
const cryptoPrice = createRequire(import.meta.url).resolve("@sibyl/programs/crypto-price.wasm")

let site: Site | undefined
let upstream: Server | undefined

afterEach(async () => {
  await site?.close()
  upstream?.closeAllConnections()
  upstream?.close()
})

/** An upstream that keeps the headers of its requests, and gives answers that no program can use. */
const startUpstream = async (seen: Array<IncomingHttpHeaders>): Promise<string> => {
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  upstream = server
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

/** The secret part of a key; its public id and its network are not secret. */
const secretOf = (key: string): string => key.split("_")[3] ?? key

describeKinds("secrets", (kind) => {
  const seed = chosenSeed()

  test(`appear nowhere (seed ${seed})`, async () => {
    const seen: Array<IncomingHttpHeaders> = []
    const origin = await startUpstream(seen)
    site = await Site.open(kind, {
      keepRecordings: true,
      outbound: {
        hostOverrides: { [upstreamHost]: origin },
        hostHeaders: { [upstreamHost]: { "x-upstream-key": { file: "upstream-key" } } }
      }
    })
    await writeFile(join(site.folder, "upstream-key"), upstreamSecret)
    const programs = {
      echo: await site.deploy(auditPrograms.echo),
      failing: await site.deploy(auditPrograms.failing),
      fetching: await site.deploy(readFileSync(cryptoPrice))
    }
    const tenant = await site.tenant(1_000_000_000n)
    const random = seededRandom(seed)
    const wrong = wrongKeys(tenant.key)
    const server = await site.start()
    const { url } = server
    const answers: Answers = await sendRequestMix({ url, key: tenant.key, wrong, programs, random, requests })

    // The mix had valid and invalid requests, executions, failures, and the operator's header.
    expect(Object.keys(answers.statuses).map(Number)).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415, 599]))
    expect(answers.count).toBeGreaterThanOrEqual(requests)
    expect(seen.filter((headers) => headers["x-upstream-key"] === upstreamSecret).length).toBeGreaterThan(0)

    const stored = await everyByte(site)
    const secrets = [tenant.key, ...wrong].map(secretOf).concat(upstreamSecret, site.password ?? [])
    const places = { stored, log: [server.process.output], answers: answers.texts }
    const found = Object.entries(places).flatMap(([place, texts]) =>
      secrets.filter((secret) => texts.some((text) => text.includes(secret))).map((secret) => `${secret}: ${place}`)
    )
    expect(found).toEqual([])
    // The search works: public values are found in the same places.
    expect(stored.some((text) => text.includes(tenant.apiKeyId))).toBe(true)
    expect(stored.some((text) => text.includes(programs.fetching))).toBe(true)
    expect(answers.texts.some((text) => text.includes(tenant.projectId))).toBe(true)
    expect(await server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    expect((await everyByte(site)).filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([])
    expect(secrets.filter((secret) => server.process.output.includes(secret))).toEqual([])
  }, 300_000)
})
