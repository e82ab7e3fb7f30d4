/** One hop of a request: let through by the circuits of its host, in a place of its own, over a connection. */
import type { OutboundRequest } from "@sibyl/core"
import type { Circuits, Sign } from "./circuits.ts"
import type { Connections } from "./connections.ts"
import { exchange, type ExchangeEnd } from "./exchange.ts"
import type { Hop, Message } from "./hop.ts"
import { portOf } from "./outboundOptions.ts"
import type { RequestPlaces, Seat } from "./requestPlaces.ts"

/** What all requests of a process share. */
export interface SharedWays {
  readonly connections: Connections
  readonly places: RequestPlaces
  /** By host: whether it can be reached, which no program can prevent. */
  readonly reached: Circuits
  /** By project and host: whether it answers, which depends on what a program asks for. */
  readonly answering: Circuits
}

/** How a hop ended. */
export type HopEnd = ExchangeEnd | { readonly refusal: string; readonly isResting: boolean }

/** Whoever gave up sooner learned nothing about the host. In ms. */
const patienceMs = 1_000

const restingText = "outbound request refused: the host has not answered lately"
const crowdedText = "outbound request failed: too many requests are under way"

/** What an end says of the host. */
const signsOf = (end: ExchangeEnd): { readonly reached: Sign; readonly answering: Sign } => {
  if ("answer" in end) return { reached: "well", answering: "well" }
  const { fault } = end.failure
  return { reached: fault === "unreachable" ? "failed" : "none", answering: fault === "silent" && !end.failure.stale ? "failed" : "none" }
}

/** The name of a host's circuit that is one project's. */
const circuitName = (projectId: string, host: string): string => `${projectId} ${host}`

/** Whose circuit that is, and of which host. */
export const partsOfName = (name: string): { readonly projectId: string; readonly upstream: string } => {
  const space = name.lastIndexOf(" ")
  return { projectId: name.slice(0, space), upstream: name.slice(space + 1) }
}

/**
 * Sends a message over one hop as soon as there is a place. `ended` is called once, unless the returned function is called before: then the
 * connection is closed, and a host that has let a request time out is held to have failed.
 */
export const hopExchange = (
  { answering, connections, places, reached }: SharedWays,
  hop: Hop,
  message: Message,
  request: OutboundRequest,
  fresh: boolean,
  ended: (end: HopEnd) => void
): ((hasTimedOut: boolean) => void) => {
  // By the program's name for it, as in the metrics: an override's own address says nothing to whoever reads the log.
  const host = `${hop.url.hostname}:${portOf(hop.url)}`
  const { projectId } = request
  // A program chooses the scheme: its TLS to a port that has none must not close that port to others.
  const way = hop.url.protocol === "https:" ? host : `http://${host}`
  const ofProject = circuitName(projectId, way)
  let close = (_hasTimedOut: boolean): void => {}
  const tell = (signs: { readonly reached: Sign; readonly answering: Sign }): void => {
    reached.ended(way, signs.reached)
    answering.ended(ofProject, signs.answering)
  }
  const isAdmitted = (): boolean => {
    if (!reached.admits(way)) return false
    const isAnswering = answering.admits(ofProject)
    if (!isAnswering) reached.ended(way, "none")
    return isAnswering
  }
  const begin = (): void => {
    if (!isAdmitted()) {
      places.leave(seat)
      return ended({ refusal: restingText, isResting: true })
    }
    const startMs = performance.now()
    const underWay = exchange(connections, hop, message, request, fresh, (end) => {
      // First the signs: whoever gets the place next asks for them.
      tell(signsOf(end))
      places.leave(seat)
      ended(end)
    })
    close = (hasTimedOut) => {
      const isSign = hasTimedOut && performance.now() - startMs >= patienceMs
      const isConnected = underWay.isConnected()
      underWay.close()
      tell({ reached: isSign && !isConnected ? "failed" : "none", answering: isSign && isConnected ? "failed" : "none" })
    }
  }
  const seat: Seat = { projectId, host, mostOfProject: request.mostAtOnce ?? Number.POSITIVE_INFINITY, begin }
  // What nobody waits for yet must not wait before what somebody does.
  if (request.isAhead !== true) places.enter(seat)
  else if (!places.enterIfFree(seat)) ended({ refusal: crowdedText, isResting: false })
  return (hasTimedOut) => {
    close(hasTimedOut)
    places.leave(seat)
  }
}
