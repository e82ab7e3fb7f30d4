/** A run as a file: the service's answer as JSON, nothing else, so that any verifier takes the file. */
import { type Members, membersOf } from "../visitor/members.ts"

/** The largest file that is read. */
export const maxRunFileBytes = 32 * 1024 * 1024

const drIdIn = (body: unknown): unknown => membersOf(membersOf(membersOf(body)["data"])["dataResult"])["drId"]

/** Whether an answer tells of a run; a refusal does not. */
export const hasRun = (body: unknown): boolean => typeof drIdIn(body) === "string"

/** The id of the run, if the service has kept its recording; else empty. */
export const recordedIdOf = (body: unknown): string => {
  const data = membersOf(membersOf(body)["data"])
  const id = data["id"]
  return membersOf(data["recording"])["kept"] === true && typeof id === "string" && /^[0-9a-f-]{36}$/.test(id) ? id : ""
}

/** The file's text: what `body` is as JSON, which `readRunFile` gives back. */
export const runFileText = (body: unknown): string => `${JSON.stringify(body, undefined, 2)}\n`

/** A name for the file, from the start of the answer's drId. */
export const runFileName = (body: unknown): string => {
  const drId = drIdIn(body)
  return typeof drId === "string" && /^[0-9a-f]{64}$/.test(drId) ? `sibyl-run-${drId.slice(0, 12)}.json` : "sibyl-run.json"
}

/** The answer in a file's text, or why there is none. Whether it is signed, and by whom, is for the verifier to say. */
export const readRunFile = (text: string): { readonly body: Members } | { readonly fault: string } => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { fault: "The file is not JSON." }
  }
  return hasRun(body) ? { body: membersOf(body) } : { fault: "The file has no run in it: data.dataResult.drId is missing." }
}
