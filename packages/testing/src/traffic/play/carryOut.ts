/** Carries out one command of a sequence. */
import { type Ask, type Command, newest, type Request } from "../commands/command.ts"
import type { Session, SessionSocket } from "./session.ts"

/** Longer than an answer takes: both phases of a run and a queue before it. A simulated run takes half a second at most. */
export const answerMsOf = (session: Session): number => (session.target.clock === undefined ? 60_000 : 5_000)

const carryOutAsk = async (session: Session, step: number, { body, headers, method, path, query, waits, who }: Ask): Promise<void> => {
  const filled = query.map(([name, value]) => [name, session.heard.fill(value)] as const)
  const text = body === undefined ? undefined : session.heard.fill(body)
  const key = headers["idempotency-key"]
  const own = key?.startsWith("retry-") === true ? { ...headers, "idempotency-key": `${key}${session.keySuffix}` } : headers
  const call = { step, key: session.keyOf(who), method, path, query: filled, headers: own, body: text }
  if (waits) await session.askAndWait(call, answerMsOf(session))
  else session.ask(call)
}

/** One of the open sockets; without any, a new one of the first tenant that has a key. */
const someSocket = async (session: Session, step: number, nth: number): Promise<SessionSocket | undefined> => {
  const { open } = session
  if (open.length > 0) return nth === newest ? open.at(-1) : open[nth % open.length]
  const tenants = session.tenants.filter((tenant) => session.validKeyOf(tenant) !== undefined)
  const tenant = tenants[nth % Math.max(1, tenants.length)]
  if (tenant === undefined) return undefined
  await session.connect(step, session.validKeyOf(tenant))
  return session.open[0]
}

const sendFrame = (session: Session, { history, wire }: SessionSocket, step: number, text: string): void => {
  history.sent.push({ ...session.draft.moment(), step, text })
  wire?.send(text)
}

const repliesTo = ({ history }: SessionSocket, id: string): number => history.heard.filter(({ text }) => text.includes(`"id":${id}`)).length

const carryOutRequest = async (session: Session, step: number, { method, params, socket: nth, waits }: Request): Promise<void> => {
  const socket = await someSocket(session, step, nth)
  if (socket === undefined) return
  const id = JSON.stringify(`${step + 1}`)
  sendFrame(session, socket, step, `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${session.heard.fill(params)}}`)
  if (waits) await session.until(() => repliesTo(socket, id) > 0 || socket.history.ended !== undefined, answerMsOf(session))
  else await session.pass(0)
}

const carryOutFrame = async (session: Session, step: number, nth: number, text: string): Promise<void> => {
  const socket = await someSocket(session, step, nth)
  if (socket === undefined) return
  const before = repliesTo(socket, "null")
  sendFrame(session, socket, step, text)
  await session.until(() => repliesTo(socket, "null") > before || socket.history.ended !== undefined, answerMsOf(session))
}

/** Ends a socket from the client's side. */
export const endSocket = async (session: Session, { history, wire }: SessionSocket, politely: boolean): Promise<void> => {
  if (history.ended !== undefined) return
  history.ended = { ...session.draft.moment(), by: "client", code: politely ? 1000 : 1006 }
  if (politely) wire?.close()
  else wire?.vanish()
  await session.pass(0)
}

const carryOutRevoke = async (session: Session, tenant: number, nth: number): Promise<void> => {
  const keys = session.keysOf(tenant)
  const key = keys[nth % keys.length]
  const { operator } = session.target
  if (key === undefined || key.revoked !== undefined || operator?.revokeKey === undefined) return
  const from = session.draft.moment()
  // Requests that are sent meanwhile may be answered either way.
  key.revoked = { from, to: { order: Number.POSITIVE_INFINITY, atMs: Number.POSITIVE_INFINITY } }
  await operator.revokeKey(key.text)
  await session.pass(0)
  key.revoked = { from, to: session.draft.moment() }
}

const carryOutGrant = async (session: Session, tenant: number, credits: bigint): Promise<void> => {
  const projectId = session.projectIds[tenant]
  const grant = session.target.operator?.grant
  if (projectId === undefined || grant === undefined) return
  const from = session.draft.moment()
  await grant(projectId, credits)
  await session.pass(0)
  session.draft.grants.push({ tenant, credits, from, to: session.draft.moment() })
}

/** Gives a tenant another key. */
export const issueKey = async (session: Session, tenant: number): Promise<void> => {
  const projectId = session.projectIds[tenant]
  const issue = session.target.operator?.issueKey
  if (projectId !== undefined && issue !== undefined) session.addKey(tenant, await issue(projectId))
}

/** Lets the upstream fail or recover. */
export const setUpstream = async (session: Session, works: boolean): Promise<void> => {
  const { draft, target } = session
  const outage = draft.outages.find(({ to }) => to === undefined)
  if (target.upstream === undefined || (outage === undefined) === works) return
  const from = draft.moment()
  if (works) await target.upstream.recover()
  else await target.upstream.fail()
  if (outage === undefined) draft.outages.push({ from: draft.moment(), to: undefined })
  else outage.to = from
}

const carryOutCrash = async (session: Session): Promise<void> => {
  const { draft, target } = session
  if (target.crash === undefined) return
  const crash: (typeof draft.crashes)[number] = { from: draft.moment(), to: undefined }
  draft.crashes.push(crash)
  const open = session.open
  await target.crash()
  for (const { history } of open) {
    if (history.ended === undefined || history.ended.by === "service") {
      history.ended = { ...(history.ended ?? draft.moment()), by: "crash", code: 1006 }
    }
  }
  await session.until(() => session.isQuiet, answerMsOf(session))
  crash.to = draft.moment()
}

/** Carries out a command; what the target cannot do is left out. `step`: its place in the sequence. */
export const carryOut = async (session: Session, step: number, command: Command): Promise<void> => {
  switch (command.kind) {
    case "ask":
      return carryOutAsk(session, step, command)
    case "request":
      return carryOutRequest(session, step, command)
    case "frame":
      return carryOutFrame(session, step, command.socket, command.text)
    case "connect":
      return void (await session.connect(step, session.keyOf(command.who)))
    case "present":
      return session.present(step, session.heard.fill(command.ticket), command.times, command.origin)
    case "disconnect": {
      const { open } = session
      const socket = open[command.socket % Math.max(1, open.length)]
      return socket === undefined ? undefined : endSocket(session, socket, command.politely)
    }
    case "revoke":
      return carryOutRevoke(session, command.tenant, command.key)
    case "issue":
      return issueKey(session, command.tenant)
    case "grant":
      return carryOutGrant(session, command.tenant, BigInt(command.credits))
    case "pass":
      return session.pass(command.ms)
    case "upstream":
      return setUpstream(session, command.works)
    case "crash":
      return carryOutCrash(session)
  }
}
