/** Serves a document: compressed if the client accepts that, and 304 if the client has it already (RFC 9110, section 13.1.2). */
import type { ServedDocument } from "../docs/servedDocument.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import { acceptsGzip } from "./acceptsGzip.ts"
import type { Reply } from "./call.ts"

const hasTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  header.split(",").some((item) => {
    const asked = item.trim()
    return asked === "*" || asked === tag || `W/${asked}` === tag
  })

/** The answer to this request: the document as it is, compressed if that is accepted, or 304 if the client has it already. */
export const documentReply = async (document: ServedDocument, request: ServiceRequest): Promise<Reply> => {
  const { body, plain, tag } = document
  const encoded = acceptsGzip(request.header("accept-encoding")) ? await document.gzipped() : undefined
  const headers = {
    ...document.headers,
    etag: tag,
    // Caches may store it but must revalidate, so that a new version or another example program shows at once.
    "cache-control": "public, no-cache",
    vary: "accept-encoding",
    ...(encoded === undefined ? {} : { "content-encoding": "gzip" })
  }
  if (hasTag(request.header("if-none-match"), tag)) {
    return { status: 304, body: "", headers: { ...headers, "content-length": String((encoded ?? plain).length) } }
  }
  return { status: 200, body, headers, ...(encoded === undefined ? {} : { encoded }) }
}
