/**
 * Serves the console's page, script and style beside a service, under `/console` of its mount point. It loads nothing of core: an
 * assembled installation has core only inside the command's bundle.
 */
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Service, ServiceRequest, ServiceResponse } from "@sibyl/core"
import { pageHtml } from "./pageHtml.ts"

/** A program that the console offers, with inputs to begin with. */
export interface ConsoleExample {
  readonly name: string
  /** The program's id, 64 hex characters. */
  readonly execProgramId: string
  /** Anything that JSON can express. */
  readonly execInputs?: unknown
}

/** What a console is told by whoever mounts it. */
export interface ConsoleOptions {
  /** Offered beside the programs that have a name; none by default. */
  readonly examples?: ReadonlyArray<ConsoleExample>
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The same folder from `src` and from `dist`. */
const bundled = (name: string): Promise<string> => readFile(new URL(`../dist/bundle/${name}`, import.meta.url), "utf8")

type Document = readonly [type: string, body: () => Promise<string>]

const documents = ({ examples = [] }: ConsoleOptions): Readonly<Record<string, Document>> => ({
  "/console": ["text/html; charset=utf-8", () => Promise.resolve(pageHtml)],
  "/console/main.js": ["text/javascript; charset=utf-8", () => bundled("main.js")],
  "/console/main.css": ["text/css; charset=utf-8", () => bundled("main.css")],
  "/console/examples.json": ["application/json", () => Promise.resolve(JSON.stringify(examples))]
})

const headersOf = (type: string): Readonly<Record<string, string>> => ({
  "content-type": type,
  "content-security-policy": policy,
  "cache-control": "no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-request-id": randomUUID()
})

const answerWith = async ([type, read]: Document, method: string): Promise<ServiceResponse> => {
  const [headers, body] = [headersOf(type), await read()]
  if (method !== "HEAD") return { status: 200, headers, body }
  return { status: 200, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: "" }
}

/** The service with a console beside it. A request for it rejects if the package was not built. */
export const withConsole = (service: Service, options: ConsoleOptions = {}): Service => {
  const served = documents(options)
  // The types alone are core's: in a container this file stands without it.
  const { atOnce = async (request: ServiceRequest) => service.fetch(request) } = service.fetch
  const answer = (request: ServiceRequest) => {
    const { method, url } = request
    const [path = ""] = url.split("?")
    const document = Object.hasOwn(served, path) ? served[path] : undefined
    return document === undefined || (method !== "GET" && method !== "HEAD") ? atOnce(request) : answerWith(document, method)
  }
  return { ...service, fetch: Object.assign(async (request: ServiceRequest) => answer(request), { atOnce: answer }) }
}
