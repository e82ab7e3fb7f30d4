/** The documentation of one service: made on first request, and again when its content has changed. */
import { Context, Effect, Layer } from "effect"
import type { ProgramStore } from "../../ports/programStore.ts"
import { Options, type ResolvedOptions } from "../../services/settings/serviceOptions.ts"
import { type DocumentedExample, documentedExample } from "./documentedExample.ts"
import type { ServedDocument } from "./servedDocument.ts"

/** The documents by the names of their endpoints. */
export type DocumentName = "docs" | "openApi" | "asyncApi" | "webSocketDocs" | "errorDocs"

/** The pages are large and rarely read, so their modules are loaded on first request. */
const make = async (name: DocumentName, example: DocumentedExample | undefined, { limits }: ResolvedOptions): Promise<ServedDocument> => {
  const pages = await import("./docs.ts")
  switch (name) {
    case "docs":
      return pages.docsPage(example)
    case "openApi":
      return pages.openApiJson(example)
    case "asyncApi":
      return pages.asyncApiJson(limits)
    case "webSocketDocs":
      return pages.webSocketPage(limits)
    case "errorDocs":
      return pages.errorsDocument()
  }
}

interface Made {
  /** The example changes only when a program is deployed, which is rare. */
  readonly example: string | undefined
  readonly document: Promise<ServedDocument>
}

/** Finds the documents of a service. */
export class Documents extends Context.Tag("@sibyl/core/Documents")<
  Documents,
  { readonly find: (name: DocumentName) => Effect.Effect<ServedDocument> }
>() {
  /** Keeps one of each document. */
  static readonly layer = Layer.effect(
    Documents,
    Effect.map(Effect.context<Options | ProgramStore>(), (context) => {
      const options = Context.get(context, Options)
      const kept = new Map<DocumentName, Made>()
      const documentOf = (name: DocumentName, shown: DocumentedExample | undefined): Promise<ServedDocument> => {
        const example = JSON.stringify(shown)
        const known = kept.get(name)
        if (known !== undefined && known.example === example) return known.document
        const document = make(name, shown, options)
        kept.set(name, { example, document })
        return document
      }
      return {
        find: (name) => {
          const shown = name === "docs" || name === "openApi" ? documentedExample : Effect.succeed(undefined)
          return Effect.flatMap(Effect.provide(shown, context), (example) => Effect.promise(() => documentOf(name, example)))
        }
      }
    })
  )
}
