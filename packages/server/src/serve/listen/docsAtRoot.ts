/** What a stand-alone server shows at its root: the way to the documentation. */
import { randomUUID } from "node:crypto"
import type { Service, ServiceRequest, ServiceResponse } from "@sibyl/core"

const isRoot = ({ method, url }: ServiceRequest): boolean =>
  (method === "GET" || method === "HEAD") && (url === "/" || url.startsWith("/?"))

const wayToDocs = (prefix: string): ServiceResponse => ({
  status: 302,
  headers: { location: `${prefix}/docs`, "content-type": "text/plain; charset=utf-8", "x-request-id": randomUUID() },
  body: ""
})

/** The service, and at the root of the place where it is mounted, where nothing of it is, the way to its documentation. */
export const docsAtRoot = (service: Service, prefix: string): Service => ({
  ...service,
  fetch: async (request) => (isRoot(request) ? wayToDocs(prefix) : service.fetch(request))
})
