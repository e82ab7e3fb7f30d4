/** The documentation a service serves of itself: a page that works offline, and the OpenAPI document (decision D20). */
import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "../contract/api.ts"
import type { Reply } from "./handlers.ts"

/** The contract as a document whose addresses are relative to where it is read, so that any mount point works. */
const relativeTo = (base: string) => Api.annotate(OpenApi.Servers, [{ url: base }])

/** The OpenAPI 3.1 document. Its server is the parent of `/docs/openapi.json`. */
export const openApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(relativeTo(".."))

const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** The body of `/docs/openapi.json`. */
export const openApiText = once(() => JSON.stringify(openApiDocument()))

/** `/docs`: the interactive page, all in one file. */
export const docsPage = once(async (): Promise<Reply> => {
  const { dispose, handler } = HttpLayerRouter.toWebHandler(
    HttpApiSwagger.layerHttpLayerRouter({ api: relativeTo("."), path: "/docs" }),
    { disableLogger: true }
  )
  try {
    const response = await handler(new Request("http://service/docs"))
    return { status: 200, body: await response.text(), headers: { "content-type": "text/html; charset=utf-8" } }
  } finally {
    await dispose()
  }
})
