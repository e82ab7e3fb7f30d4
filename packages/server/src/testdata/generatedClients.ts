/** For tests: clients that usual generators make from the documents of a running service, compiled strictly, and programs that use them. */
import { execFile } from "node:child_process"
import { symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Parser } from "@asyncapi/parser"
import { build } from "esbuild"
import { compile, type JSONSchema } from "json-schema-to-typescript"

const run = promisify(execFile)
const packages = fileURLToPath(new URL("../../../../node_modules", import.meta.url))
const resolve = createRequire(import.meta.url).resolve

/** Runs the command of an installed generator in a folder, as its user would. */
const generator = (command: string, folder: string, ...args: ReadonlyArray<string>) =>
  run(process.execPath, [join(packages, command), ...args], { cwd: folder })

/** An AsyncAPI document as its own parser reads it: its faults, except that a newer version of AsyncAPI exists, and its messages. */
export const parseAsyncApi = async (text: string) => {
  const { diagnostics, document } = await new Parser().parse(text)
  const faults = diagnostics
    .filter(({ code }) => code !== "asyncapi-latest-version")
    .map(({ message, path }) => `${path.join(".")}: ${message}`)
  return {
    faults,
    messages:
      document
        ?.allMessages()
        .all()
        .map((message) => message.id()) ?? []
  }
}

/** The payloads of an AsyncAPI document as TypeScript. */
const messageTypes = (text: string): Promise<string> => {
  const { components }: { readonly components: { readonly schemas: Readonly<Record<string, JSONSchema>> } } = JSON.parse(text)
  const all = Object.keys(components.schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const root = { title: "AnySchema", oneOf: all, components }
  return compile(root as JSONSchema, "AnySchema", { additionalProperties: false, format: false })
}

/** The part of `ws` that a client uses; Node 20 has no WebSocket of its own. */
const webSocketTypes = `declare module "ws" {
  export class WebSocket {
    constructor(url: string, options: { readonly headers: Readonly<Record<string, string>> })
    on(event: "message", listener: (frame: { toString(): string }) => void): this
    on(event: "error", listener: (cause: Error) => void): this
    send(text: string): void
    close(): void
  }
}
`

/** Generates into a folder from the documents at an address: `schema.ts` and `sdk/` from OpenAPI, `messages.ts` from AsyncAPI. */
export const generateClients = async (folder: string, url: string): Promise<void> => {
  await symlink(packages, join(folder, "node_modules"))
  const asyncApi = await (await fetch(`${url}/docs/asyncapi.json`)).text()
  await Promise.all([
    generator("openapi-typescript/bin/cli.js", folder, `${url}/docs/openapi.json`, "--output", "schema.ts"),
    generator("@hey-api/openapi-ts/bin/run.js", folder, "-i", `${url}/docs/openapi.json`, "-o", "sdk", "-c", "@hey-api/client-fetch"),
    writeFile(join(folder, "messages.ts"), await messageTypes(asyncApi)),
    writeFile(join(folder, "ws.d.ts"), webSocketTypes)
  ])
}

/** What the compiler says of programs in the folder, with everything that was generated, under `strict`; empty if nothing. */
export const compileStrictly = async (folder: string, programs: Readonly<Record<string, string>>): Promise<string> => {
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text)
  const compiler = join(dirname(resolve("@typescript/native/package.json")), "bin", "tsc")
  const language = ["--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler"]
  const flags = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--allowImportingTsExtensions", "--types", "node", ...language]
  const files = ["schema.ts", "sdk/index.ts", "messages.ts", "ws.d.ts", ...Object.keys(programs)]
  return run(process.execPath, [compiler, ...flags, ...files], { cwd: folder }).then(
    () => "",
    ({ stderr, stdout }) => String(stdout) + String(stderr)
  )
}

/** Runs one of the programs with arguments; answers the JSON that it prints. */
export const runProgram = async (folder: string, name: string, ...args: ReadonlyArray<string>): Promise<unknown> => {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(folder, name)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error"
  })
  return JSON.parse((await run(process.execPath, [outfile, ...args], { cwd: folder })).stdout)
}
