/** Redirects the root of a stand-alone server to the documentation. */
import { randomUUID } from "node:crypto"
import { answerOf, fetchOf, type Service, type ServiceRequest, type ServiceResponse } from "@sibyl/core"

const isRoot = ({ method, url }: ServiceRequest): boolean =>
  (method === "GET" || method === "HEAD") && (url === "/" || url.startsWith("/?"))

const wayToDocs = (prefix: string): ServiceResponse => ({
  status: 302,
  headers: { location: `${prefix}/docs`, "content-type": "text/plain; charset=utf-8", "x-request-id": randomUUID() },
  body: ""
})

/** The service, with a redirect to its documentation at the root of its mount point. */
export const docsAtRoot = (service: Service, prefix: string): Service => {
  const answer = answerOf(service)
  return { ...service, fetch: fetchOf((request) => (isRoot(request) ? wayToDocs(prefix) : answer(request))) }
}
