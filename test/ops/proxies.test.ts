/** The examples of reverse proxies, with real ones before a real server: answers, long targets and feeds go through. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { type EventEmitter, once } from "node:events"
import { tmpdir, userInfo } from "node:os"
import { delimiter, join } from "node:path"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { freePort } from "@sibyl/testing"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { servedDocument } from "./servedDocument.ts"

interface ClientClass {
  new (url: string, options: object): EventEmitter & { readonly close: () => void }
}

// Node 20 has no global WebSocket, and the web's cannot send headers.
const { WebSocket: Client } = createRequire(import.meta.url)("ws") as { readonly WebSocket: ClientClass }

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Debian installs nginx outside of the PATH of plain users. */
const programOf = (name: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"].map((folder) => join(folder, name)).find((path) => existsSync(path))

const Served = Schema.parseJson(Schema.Struct({ url: Schema.String, demo: Schema.Struct({ cryptoPriceId: Schema.String }) }))

/** The example with the ports, certificate and name of this test, and how its program is started with it. */
interface Proxy {
  readonly name: "nginx" | "caddy"
  readonly files: (at: { readonly folder: string; readonly port: number; readonly upstream: string }) => Readonly<Record<string, string>>
  readonly args: (folder: string) => ReadonlyArray<string>
}

const exampleOf = (file: string): string => readFileSync(join(root, "ops/proxy", file), "utf8")

const proxies: ReadonlyArray<Proxy> = [
  {
    name: "nginx",
    files: ({ folder, port, upstream }) => ({
      "sibyl.conf": exampleOf("nginx.conf")
        .replace("127.0.0.1:8717", upstream)
        .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
        .replace("/etc/ssl/oracle.example.com.pem", `${folder}/cert.pem`)
        .replace("/etc/ssl/oracle.example.com.key", `${folder}/key.pem`),
      "nginx.conf": [
        `user ${userInfo().username};`,
        `pid ${folder}/nginx.pid; daemon off; error_log stderr; events {}`,
        `http { access_log off; ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}`,
        `include ${folder}/sibyl.conf; }`
      ].join("\n")
    }),
    args: (folder) => ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"]
  },
  {
    name: "caddy",
    files: ({ folder, port, upstream }) => ({
      Caddyfile: `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_sni localhost\n}\n${exampleOf("Caddyfile")
        .replace("oracle.example.com {", `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem`)
        .replace("127.0.0.1:8717", upstream)}`
    }),
    args: (folder) => ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"]
  }
]

const whyNone = (name: string): string | undefined =>
  programOf(name) === undefined ? `no ${name} is installed` : programOf("openssl") === undefined ? "no openssl is installed" : undefined

describe.each(proxies)("$name", ({ args, files, name }) => {
  const why = whyNone(name)
  describe.skipIf(why !== undefined)(why === undefined ? "with the example" : `with the example (skipped: ${why})`, () => {
    const children: Array<ChildProcess> = []
    let folder = ""
    let port = 0
    let key = ""
    let programId = ""

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "sibyl-proxy-"))
      execFileSync(
        "openssl",
        [
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:prime256v1",
          "-nodes",
          "-days",
          "2",
          "-subj",
          "/CN=localhost"
        ].concat(["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")]),
        { stdio: "ignore" }
      )
      const bin = join(root, "packages/server/bin/sibyl.js")
      const env = { PATH: process.env["PATH"], HOME: folder, SIBYL_DATA: folder }
      const server = spawn(process.execPath, [bin, "serve", "--demo", "--json", "--port", "0", "--workers", "1"], { cwd: folder, env })
      children.push(server)
      const { demo, url } = Schema.decodeUnknownSync(Served)(await servedDocument(server))
      programId = demo.cryptoPriceId
      key = readFileSync(join(folder, "demo-key"), "utf8").trim()
      port = await freePort()
      for (const [file, text] of Object.entries(files({ folder, port, upstream: new URL(url).host })))
        writeFileSync(join(folder, file), text)
      const proxy = spawn(programOf(name) ?? "", args(folder), { cwd: folder, env, stdio: "ignore" })
      children.push(proxy)
      await vi.waitFor(async () => expect((await ask("/health")).status).toBe(200), { timeout: 30_000, interval: 100 })
    })
    afterAll(async () => {
      for (const child of children.toReversed()) {
        const ended = child.exitCode === null ? once(child, "exit") : undefined
        child.kill("SIGTERM")
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    })

    const ask = (
      path: string,
      options: { readonly method?: string; readonly body?: Buffer } = {}
    ): Promise<{ status: number; body: string }> =>
      new Promise((resolve, reject) => {
        // No URL, which would make a slash of a backslash.
        const to = { host: "localhost", port, path, family: 4, rejectUnauthorized: false }
        const asked = request({ ...to, method: options.method ?? "GET", headers: { authorization: `Bearer ${key}` } }, (response) => {
          const parts: Array<Buffer> = []
          response.on("data", (part: Buffer) => parts.push(part))
          response.once("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
        })
        asked.once("error", reject)
        asked.end(options.body)
      })

    test("answers runs, long targets and bodies are the server's, what is for those inside is not there", async () => {
      const run = (inputs: string) => ask(`/execute?${new URLSearchParams({ execProgramId: programId, execInputs: inputs })}`)
      expect((await run("x")).status).toBe(599)
      expect((await run("x".repeat(15_000))).status).toBe(599)
      expect(await run("x".repeat(18_000))).toMatchObject({ status: 414, body: expect.stringContaining("_tag") })
      expect(await ask("/execute", { method: "POST", body: Buffer.alloc(2_500_000, " ") })).toMatchObject({
        status: expect.toSatisfy((status) => status === 413 || status === 415),
        body: expect.stringContaining("_tag")
      })
      expect((await ask("/ready")).status).toBe(404)
      expect((await ask("/docs\\..\\ready")).status).toBe(400)
    })

    test("feeds go through", async () => {
      const socket = new Client(`wss://localhost:${port}/ws/v1`, {
        rejectUnauthorized: false,
        family: 4,
        headers: { authorization: `Bearer ${key}` }
      })
      const [message] = await once(socket, "message")
      expect(String(message)).toContain("authorized")
      socket.close()
    })
  })
})
