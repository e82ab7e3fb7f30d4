/** Answers that are at hand pass through all layers of a service at once; others come by a promise. */
import type { ServiceRequest, ServiceResponse } from "./seam.ts"

type Answer = ServiceResponse | undefined

/** An answer, or one that will come. */
export type Answering = Answer | Promise<Answer>

/** Answers a request, at once if the answer is at hand; `undefined` if the service has no such path. */
export type AnswerRequest = (request: ServiceRequest) => Answering

/** What becomes of the answer, at once if it is at hand. */
export const afterAnswer = (answering: Answering, change: (answer: Answer) => Answer): Answering =>
  answering instanceof Promise ? answering.then(change) : change(answering)
