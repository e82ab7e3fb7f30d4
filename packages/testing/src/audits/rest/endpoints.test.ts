/** The audited endpoints are those of the contract, with and without a key, so that a new one cannot be forgotten. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api, BearerKey } from "@sibyl/core"
import { expect, it } from "vitest"
import { type Endpoint, endpoints } from "./endpoints.ts"

const inOrder = (all: ReadonlyArray<Endpoint>): ReadonlyArray<string> =>
  all.map(({ method, needsKey, path }) => `${method} ${path}${needsKey ? " with a key" : ""}`).toSorted()

it("are the endpoints of the contract, and need a key where it says so", () => {
  const declared: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path }, middleware }) => {
      const needsKey = [...middleware].some(({ key }) => key === BearerKey.key)
      if (method !== "GET" && method !== "POST" && method !== "DELETE")
        throw new Error(`${path} has the method ${method}, which no audit sends`)
      declared.push({ method, path, needsKey })
    }
  })
  expect(inOrder(endpoints)).toEqual(inOrder(declared))
})
