/** What a server says first: one JSON document on the first line of its output. */
import type { ChildProcess } from "node:child_process"

/** Reads the line, and goes on reading so that the server can write. Rejects with what it has said if it ends before. */
export const servedDocument = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const said = { stdout: "", stderr: "" }
    child.stdout?.on("data", (chunk: Buffer) => {
      said.stdout += chunk.toString()
      const end = said.stdout.indexOf("\n")
      if (end >= 0) resolve(said.stdout.slice(0, end))
    })
    child.stderr?.on("data", (chunk: Buffer) => {
      said.stderr += chunk.toString()
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said.stdout}${said.stderr}`)))
  })
