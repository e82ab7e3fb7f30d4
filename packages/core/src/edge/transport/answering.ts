/** Answers that are at hand pass through all layers of a service at once; others come by a promise. */
import type { Fetch, Service, ServiceRequest, ServiceResponse } from "./seam.ts"

type Answer = ServiceResponse | undefined

/** An answer, or one that will come. */
export type Answering = Answer | Promise<Answer>

/** Answers a request, at once if the answer is at hand; `undefined` if the service has no such path. */
export type AnswerRequest = (request: ServiceRequest) => Answering

/** What becomes of the answer, at once if it is at hand. */
export const afterAnswer = (answering: Answering, change: (answer: Answer) => Answer): Answering =>
  answering instanceof Promise ? answering.then(change) : change(answering)

/** How a service answers: without a promise where its `fetch` can. One that somebody has put in its place need not, and may be a method. */
export const answerOf = (service: Service): AnswerRequest => service.fetch.atOnce ?? (async (request) => service.fetch(request))

/** The `fetch` of a service that answers like this. */
export const fetchOf = (answer: AnswerRequest): Fetch =>
  Object.assign(async (request: ServiceRequest) => answer(request), { atOnce: answer })
