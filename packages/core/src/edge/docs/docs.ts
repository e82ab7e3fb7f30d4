/** The documentation that a service serves: pages that work offline, and the OpenAPI and AsyncAPI documents (decision D20). */
import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Option } from "effect"
import { Api } from "../../contract/api.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { asyncApiDocument } from "./asyncApi.ts"
import { asyncApiPage } from "./asyncApiPage.ts"
import type { DocumentedExample } from "./documentedExample.ts"
import { errorsPage } from "./errorsPage.ts"
import { withClearAnswers } from "./openApiAnswers.ts"
import { withExamples } from "./openApiExamples.ts"
import { ServedDocument } from "./servedDocument.ts"

/** Where the WebSocket interface and the errors are described, for readers of the REST documentation. */
const seeAlso = (base: string): string =>
  `Periodic execution is on the [WebSocket interface](${base}/docs/websocket). ` +
  `Causes and cures of all errors are on the [page of errors](${base}/docs/errors).`

const restDescription = Option.getOrElse(Context.getOption(Api.annotations, OpenApi.Description), () => "")

const tidied = Option.getOrElse(Context.getOption(Api.annotations, OpenApi.Transform), () => (spec: Record<string, unknown>) => spec)

/** The contract as a document with relative addresses, so that any mount point works. */
const relativeTo = (base: string, example: DocumentedExample | undefined) =>
  Api.annotate(OpenApi.Servers, [{ url: base }])
    .annotate(OpenApi.Description, `${restDescription} ${seeAlso(base)}`)
    .annotate(OpenApi.Transform, (spec) => ({ ...withExamples(withClearAnswers(tidied(spec) as unknown as OpenApi.OpenAPISpec), example) }))

/** The OpenAPI 3.1 document. Its server is the parent of `/docs/openapi.json`. */
export const openApiDocument = (example?: DocumentedExample): OpenApi.OpenAPISpec => OpenApi.fromApi(relativeTo("..", example))

/** The pages contain their scripts and styles, connect only to their own server, and may not be framed. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const html = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
}

/** `/docs/openapi.json`. */
export const openApiJson = (example?: DocumentedExample): ServedDocument => new ServedDocument(JSON.stringify(openApiDocument(example)))

/** `/docs/asyncapi.json`, with the limits of the service. */
export const asyncApiJson = (limits: Limits): ServedDocument => new ServedDocument(JSON.stringify(asyncApiDocument(limits)))

/** `/docs/websocket`: the WebSocket interface for people. */
export const webSocketPage = (limits: Limits): ServedDocument => new ServedDocument(asyncApiPage(limits), html)

/** `/docs/errors`: every error, close code and exit code, for people. */
export const errorsDocument = (): ServedDocument => new ServedDocument(errorsPage(openApiDocument()), html)

/** `/docs`: the interactive page, all in one file. */
export const docsPage = async (example?: DocumentedExample): Promise<ServedDocument> => {
  const { dispose, handler } = HttpLayerRouter.toWebHandler(
    HttpApiSwagger.layerHttpLayerRouter({ api: relativeTo(".", example), path: "/docs" }),
    { disableLogger: true }
  )
  try {
    const response = await handler(new Request("http://service/docs"))
    return new ServedDocument(await response.text(), html)
  } finally {
    await dispose()
  }
}
