/** Answers at hand come without a promise, unless somebody has wrapped the `fetch` that has them. */
import { expect, it } from "vitest"
import { seamRequest } from "../../testdata/testService.ts"
import { answerOf, fetchOf } from "./answering.ts"
import type { Service, ServiceRequest, ServiceResponse } from "./seam.ts"

const serviceWith = (fetch: Service["fetch"]): Service => ({
  fetch,
  upgrade: () => Promise.resolve(undefined),
  maxMessageBytes: 1,
  dispose: () => Promise.resolve()
})

const answerTo = ({ url }: ServiceRequest): ServiceResponse => ({ status: 200, headers: {}, body: url })

const request = seamRequest("GET", "/here")

it("an answer at hand comes at once, and from fetch by a promise", async () => {
  const fetch = fetchOf((asked) => (asked.url === "/here" ? answerTo(asked) : Promise.resolve(undefined)))
  expect(answerOf(serviceWith(fetch))(request)).toEqual(answerTo(request))
  expect(fetch(request)).toBeInstanceOf(Promise)
  expect(await fetch(request)).toEqual(answerTo(request))
  expect(answerOf(serviceWith(fetch))(seamRequest("GET", "/there"))).toBeInstanceOf(Promise)
})

it("a fetch that somebody has put in the place of a service's own is the one that answers", async () => {
  const inner = serviceWith(fetchOf(answerTo))
  const wrapped = { ...inner, fetch: async (asked: ServiceRequest) => inner.fetch({ ...asked, url: `/wrapped${asked.url}` }) }
  expect(await answerOf(wrapped)(request)).toMatchObject({ body: "/wrapped/here" })
  const throwing = () => {
    throw new Error("not today")
  }
  await expect(answerOf(serviceWith(throwing))(request)).rejects.toThrow("not today")
})

it("a fetch may be a method of its service", async () => {
  class Counting implements Service {
    counted = 0
    readonly maxMessageBytes = 1
    fetch(asked: ServiceRequest) {
      this.counted += 1
      return Promise.resolve(answerTo(asked))
    }
    upgrade() {
      return Promise.resolve(undefined)
    }
    dispose() {
      return Promise.resolve()
    }
  }
  const service = new Counting()
  expect(await answerOf(service)(request)).toMatchObject({ body: "/here" })
  expect(service.counted).toBe(1)
})
