/** The end of a sequence: everything that is under way ends, then what is left is asked for. */
import { at } from "../../audits/rest/call.ts"
import { countAt, parsed, textAt } from "../history/json.ts"
import { answerMsOf, endSocket, issueKey, setUpstream } from "./carryOut.ts"
import type { Session, SessionSocket } from "./session.ts"

/** Longer than the lease of a hold whose process is dead, where time costs nothing. */
const holdsMs = (session: Session): number => (session.target.clock === undefined ? 30_000 : 600_000)

/** The id under which a frame has to be answered; `undefined` if it is no request. */
const requestId = (text: string): string | undefined => {
  const json = parsed(text)
  return at(json, "jsonrpc") === "2.0" ? textAt(json, "id") : undefined
}

const hasAllReplies = ({ history }: SessionSocket): boolean => {
  if (history.ended !== undefined) return true
  const answered = new Set(history.heard.map(({ text }) => textAt(parsed(text), "id")))
  return history.sent.every(({ text }) => requestId(text) === undefined || answered.has(requestId(text)))
}

/** The credits that runs of the tenant hold; `undefined` if nobody says. */
const heldBy = async (session: Session, tenant: number): Promise<bigint | undefined> => {
  const key = session.validKeyOf(tenant)
  if (key === undefined) return undefined
  const answer = await session.askAndWait({ step: undefined, key, method: "GET", path: "/project" }, 20_000)
  return countAt(parsed(answer?.text ?? ""), "credits", "held")
}

/** A run that began just before its socket closed may get its hold only after a first look. */
const quietMs = 250

const nothingIsHeld = async (session: Session): Promise<boolean> => {
  for (const tenant of session.tenants) if (((await heldBy(session, tenant)) ?? 0n) !== 0n) return false
  return true
}

/** Waits, at most this long, until no tenant's credits are held at two looks in a row. */
const untilNothingIsHeld = async (session: Session, patienceMs: number): Promise<void> => {
  const untilMs = session.nowMs() + patienceMs
  let wasQuiet = false
  for (let pauseMs = 20; session.nowMs() < untilMs; pauseMs = Math.min(pauseMs * 2, patienceMs / 20)) {
    const isQuiet = await nothingIsHeld(session)
    if (isQuiet && wasQuiet) return
    wasQuiet = isQuiet
    await session.pass(isQuiet ? quietMs : pauseMs)
  }
}

/** Ends the traffic: the upstream answers, requests get their answers, sockets close, and runs that nobody waits for end. */
export const settle = async (session: Session): Promise<void> => {
  await setUpstream(session, true)
  await session.until(() => session.isQuiet && session.open.every(hasAllReplies), answerMsOf(session))
  session.draft.rested = session.draft.moment()
  for (const socket of session.open) await endSocket(session, socket, true)
  for (const tenant of session.tenants) if (session.validKeyOf(tenant) === undefined) await issueKey(session, tenant)
  await untilNothingIsHeld(session, holdsMs(session))
  session.draft.settled = session.draft.moment()
}

/** How many entries a page of reports has: few at first, so that there are several pages, then as many as a page may have. */
const pageSize = (count: number): string => (count < 10 ? "7" : "100")

/** Pages that lead in a circle are left when one comes again, and pages without an end after more of them than there can be. */
const askForReports = async (session: Session, key: string, drId: string): Promise<void> => {
  const seen = new Set<string>()
  const told = session.draft.sockets.reduce((sum, { heard }) => sum + heard.length, 0)
  let page: string | undefined
  for (let count = 0; count < 500 + told; count += 1) {
    const next = page === undefined ? [] : [["nextPageId", page] as const]
    const query = [["drId", drId] as const, ["amount", pageSize(count)] as const, ...next]
    const answer = await session.askAndWait({ step: undefined, key, method: "GET", path: "/data-request-reports", query }, 20_000)
    page = textAt(parsed(answer?.text ?? ""), "nextPageId")
    if (page === undefined || seen.has(page)) return
    seen.add(page)
  }
}

/** Asks for the credits and for all reports of each tenant. `drIdsOf`: the data requests that a tenant may have run. */
export const askForTheRest = async (session: Session, drIdsOf: (tenant: number) => Iterable<string>): Promise<void> => {
  for (const tenant of session.tenants) {
    const key = session.validKeyOf(tenant)
    if (key === undefined) continue
    for (const path of ["/project", "/verify", "/info"]) await session.askAndWait({ step: undefined, key, method: "GET", path }, 20_000)
    for (const drId of drIdsOf(tenant)) await askForReports(session, key, drId)
  }
}
