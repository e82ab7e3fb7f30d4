/** The endpoint that tells of a project's keys. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"

const Moment = Schema.String.annotations({ description: "ISO 8601, UTC" })

/** The valid keys of a project, without anything that opens it. */
export const KeysRecord = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      name: Schema.NullOr(Schema.String).annotations({ description: "null if it was given none" }),
      createdAt: Moment,
      expiresAt: Schema.NullOr(Moment).annotations({ description: "null: never" })
    })
  )
}).annotations({ identifier: "Keys" })

/** `GET /keys`. */
export const namesOfKeys = HttpApiEndpoint.get("keys", "/keys")
  .annotate(OpenApi.Summary, "Names of the project's keys")
  .annotate(OpenApi.Description, "The valid keys of the project, oldest first, by name and time. Neither a key nor a part of one is told.")
  .addSuccess(KeysRecord)
