/** A document in answer to one request: compressed where that is accepted, and not sent again to who has it (RFC 9110, section 13.1.2). */
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

/** The document as this request is answered: whole, compressed where that is accepted, or 304 to who has it already. */
export const documentReply = async (document: ServedDocument, request: ServiceRequest): Promise<Reply> => {
  const { body, plain, tag } = document
  const encoded = acceptsGzip(request.header("accept-encoding")) ? await document.gzipped() : undefined
  const headers = {
    ...document.headers,
    etag: tag,
    // Kept by anyone, and asked about each time: a new version or another program shows at once.
    "cache-control": "public, no-cache",
    vary: "accept-encoding",
    ...(encoded === undefined ? {} : { "content-encoding": "gzip" })
  }
  if (hasTag(request.header("if-none-match"), tag)) {
    return { status: 304, body: "", headers: { ...headers, "content-length": String((encoded ?? plain).length) } }
  }
  return { status: 200, body, headers, ...(encoded === undefined ? {} : { encoded }) }
}
