/** A service as the listener of a server of Node that has nothing else to route: `createServer(nodeListener(service))`. */
import type { RequestListener } from "node:http"
import { belowMountPoint, checkedMountPoint, type MountPoint, originForm, type Service } from "@sibyl/core"
import { answerRequest } from "./answerRequest.ts"

/** Where the service is mounted, and what answers every other path: 404 without a body if nothing does. */
export interface ListenerOptions extends MountPoint {
  readonly elsewhere?: RequestListener
}

const notFound: RequestListener = (_request, response) => void response.writeHead(404, { "content-length": 0 }).end()

/**
 * What Express routes passes some fifteen functions and changes the prototypes of request and response; a server with the service alone
 * needs neither. Throws `InvalidOption` for an invalid prefix, and for what is no service.
 */
export const nodeListener = (service: Service, { elsewhere = notFound, ...mount }: ListenerOptions = {}): RequestListener => {
  const mounted = checkedMountPoint(mount, service)
  const answer = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const url = belowMountPoint(originForm(request.url ?? "/"), mounted)
    const isAnswered = url !== undefined && (await answerRequest(service, { request, response, url }))
    if (!isAnswered) elsewhere(request, response)
  }
  // A service's `fetch` does not reject.
  return (request, response) => void answer(request, response)
}
