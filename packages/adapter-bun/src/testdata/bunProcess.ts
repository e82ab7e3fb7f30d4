/** A test server on the real Bun: in this process under Bun, in its own process under Node. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

/** Something that runs until it is stopped, with what a client has to know (plain JSON). */
export interface Started<Known> {
  readonly known: Known
  readonly stop: () => Promise<void>
}

/** A module of this folder that can be started: it exports `start` and calls {@link serveParent} when it is run. */
interface Startable<Known> {
  readonly start: () => Promise<Started<Known>>
}

/** Starts a module of this folder, named without `.ts`. */
export const startOnBun = async <Known>(name: string): Promise<Started<Known>> => {
  const address = new URL(`./${name}.ts`, import.meta.url)
  if (process.versions["bun"] === undefined) return startChild(fileURLToPath(address))
  return ((await import(address.href)) as Startable<Known>).start()
}

const startChild = <Known>(script: string): Promise<Started<Known>> =>
  new Promise((resolve, reject) => {
    const bun = createRequire(import.meta.url).resolve("bun/bin/bun.exe")
    const child = spawn(bun, ["--conditions=@sibyl/source", script], { stdio: ["pipe", "pipe", "inherit"] })
    const ended = new Promise<void>((done) => child.once("exit", () => done()))
    child.once("error", reject).once("exit", (code) => reject(new Error(`the server ended early, exit code ${code}`)))
    const stop = (): Promise<void> => {
      child.stdin.end()
      return ended
    }
    let printed = ""
    child.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.toString()
      if (printed.endsWith("\n")) resolve({ known: JSON.parse(printed) as Known, stop })
    })
  })

/** The child's side: starts, prints what the parent has to know, and ends when the parent closes the pipe or exits. */
export const serveParent = async <Known>(start: () => Promise<Started<Known>>): Promise<void> => {
  const { known, stop } = await start()
  process.stdout.write(`${JSON.stringify(known)}\n`)
  process.stdin.resume().once("end", () => void stop().then(() => process.exit(0)))
}
