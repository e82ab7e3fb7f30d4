/** A service as the listener of a server of Node that has nothing else to route: `createServer(nodeListener(service))`. */
import type { RequestListener } from "node:http"
import { answerOf, belowMountPoint, checkedMountPoint, InvalidOption, type MountPoint, originForm, type Service } from "@sibyl/core"
import { answerRequest } from "./answerRequest.ts"

/** Where the service is mounted, and what answers every other path: 404 without a body if nothing does. */
export interface ListenerOptions extends MountPoint {
  readonly elsewhere?: RequestListener
}

const notFound: RequestListener = (_request, response) => void response.writeHead(404, { "content-length": 0 }).end()

/** For a server with nothing else: Express passes each request through some fifteen functions. Throws `InvalidOption`, also for what is no service. */
export const nodeListener = (service: Service, options: ListenerOptions = {}): RequestListener => {
  const mounted = checkedMountPoint(options, service, { elsewhere: true })
  const { elsewhere = notFound } = options
  if (typeof elsewhere !== "function") throw new InvalidOption("elsewhere", "must be a function, as createServer takes it")
  const answer = answerOf(service)
  return (request, response) => {
    const others = () => elsewhere(request, response)
    const url = belowMountPoint(originForm(request.url ?? "/"), mounted)
    void (url === undefined ? others() : answerRequest(answer, { request, response, url, elsewhere: others }))
  }
}
