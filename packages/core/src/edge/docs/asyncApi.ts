/** The AsyncAPI 3.0 document of the WebSocket interface, made from the contract's own schemas (decision D20). */
import { JSONSchema, type Schema } from "effect"
import { apiVersion } from "../../contract/api.ts"
import { webSocketPath } from "../../contract/rpc.ts"
import { ticketProtocolPrefix, webSocketProtocol } from "../../contract/tickets.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { closeFacts, errorFacts, limitFacts, modeMeanings, upgradeFacts } from "./asyncApiFacts.ts"
import { errorKind, type MessageKind, methodKinds, notificationKinds } from "./asyncApiMessages.ts"
import { exampleSession } from "./asyncApiSession.ts"

/** A JSON Schema, or any other object of the document. */
export interface JsonObject {
  readonly [name: string]: unknown
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

const schemasPath = "#/components/schemas/"
const channelPath = "#/channels/feeds"

/** Whether a definition is a scalar, which reads better inline. */
const isScalar = (definition: unknown): definition is JsonObject => isObject(definition) && definition["type"] !== "object"

/**
 * Simplifies the generated schemas: named scalars are inlined (draft 7 ignores whatever stands beside a
 * `$ref`), titles and ids that only name the generator's own steps are left out, and so is that an object may have more members, which
 * is the default: written out, it gives every generated type an index of unknown values, by which messages cannot be told apart.
 */
const tidied = (value: unknown, definitions: JsonObject): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidied(item, definitions))
  if (!isObject(value)) return value
  const { $id: _id, $ref: reference, title: _title, ...described } = value
  const { additionalProperties, ...closed } = described
  const own = additionalProperties === true && "properties" in described ? closed : described
  const rest = Object.fromEntries(Object.entries(own).map(([name, member]) => [name, tidied(member, definitions)]))
  if (typeof reference !== "string") return rest
  const named = definitions[reference.slice(schemasPath.length)]
  return isScalar(named) ? { ...(tidied(named, definitions) as JsonObject), ...rest } : { $ref: reference }
}

/** Schemas as JSON Schema (draft 7) that allows additional members, with all definitions that they refer to. */
export const jsonSchemas = (schemas: ReadonlyArray<Schema.Schema.AnyNoContext>): JsonObject => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  for (const { ast } of schemas) {
    JSONSchema.fromAST(ast, { definitions, definitionPath: schemasPath, additionalPropertiesStrategy: "allow" })
  }
  const found = { ...definitions } as unknown as JsonObject
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, schema]) => !isScalar(schema))
      .map(([name, schema]) => [name, tidied(schema, found)])
  )
}

const messageOf = ({ name, schema: _schema, summary, title }: MessageKind): JsonObject => {
  const examples = exampleSession.filter(({ kind }) => kind === name).map(({ note, payload }) => ({ summary: note, payload }))
  return { name, title, summary, payload: { $ref: schemasPath + name }, ...(examples.length === 0 ? {} : { examples }) }
}

const inChannel = ({ name }: MessageKind): JsonObject => ({ $ref: `${channelPath}/messages/${name}` })
const operationOf = (action: "receive" | "send", messages: ReadonlyArray<MessageKind>, rest: JsonObject): JsonObject => ({
  action,
  channel: { $ref: channelPath },
  messages: messages.map(inChannel),
  ...rest
})

const description =
  "JSON-RPC 2.0 over one WebSocket: every message is one JSON object in one text frame. The service pings; a client that " +
  "answers no ping is cut off. Feeds belong to their connection and end with it. Members that are not described here may be added."

const seeAlso = "Causes and cures of errors, close codes and exit codes are on the page errors beside this document."

/** The channel, which is one connection. Extensions hold what AsyncAPI cannot express. */
const feedsChannel = (kinds: ReadonlyArray<MessageKind>, limits: Limits): JsonObject => ({
  address: webSocketPath,
  description,
  messages: Object.fromEntries(kinds.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
  bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
  "x-modes": modeMeanings,
  "x-errors": errorFacts,
  "x-upgrade-refusals": upgradeFacts,
  "x-close-codes": closeFacts,
  "x-limits": limitFacts(limits)
})

/** The document. Operations are named from the service's side, as AsyncAPI 3 has it: it receives requests and sends notifications. */
export const asyncApiDocument = (limits: Limits): JsonObject => {
  const methods = methodKinds(limits)
  const kinds = [...methods.flatMap(({ reply, request }) => [request, reply]), errorKind, ...notificationKinds]
  const requests = methods.map(({ method, reply, request }) => {
    const answers = { channel: { $ref: channelPath }, messages: [reply, errorKind].map(inChannel) }
    return [method, operationOf("receive", [request], { summary: request.summary, reply: answers })] as const
  })
  const notifications = notificationKinds.map((kind) => [kind.title, operationOf("send", [kind], { summary: kind.summary })] as const)
  return {
    asyncapi: "3.0.0",
    info: { title: "Sibyl: Oracle Program feeds", version: apiVersion, description: `${description} ${seeAlso}` },
    defaultContentType: "application/json",
    servers: {
      service: {
        host: "{host}",
        pathname: "{prefix}",
        protocol: "ws",
        description: "The service that serves this document; wss where it is reached over TLS.",
        variables: {
          host: { default: "127.0.0.1:8717", description: "host and port" },
          prefix: { default: "", description: "where the service is mounted, without a slash at the end" }
        },
        security: [{ $ref: "#/components/securitySchemes/apiKey" }, { $ref: "#/components/securitySchemes/ticket" }]
      }
    },
    channels: { feeds: feedsChannel(kinds, limits) },
    operations: Object.fromEntries([...requests, ...notifications]),
    components: {
      messages: Object.fromEntries(kinds.map((kind) => [kind.name, messageOf(kind)])),
      schemas: jsonSchemas(kinds.map(({ schema }) => schema)),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Authorization: Bearer <API_KEY> on the upgrade request"
        },
        ticket: {
          type: "httpApiKey",
          in: "header",
          name: "Sec-WebSocket-Protocol",
          description: `In a browser: new WebSocket(url, ["${webSocketProtocol}", "${ticketProtocolPrefix}<TICKET>"]), with a ticket of POST /tickets; ${webSocketProtocol} is selected`
        }
      }
    }
  }
}
