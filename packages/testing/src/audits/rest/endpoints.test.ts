/** The endpoints that are audited for their key are those of the contract: a new one cannot be forgotten. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api, BearerKey } from "@sibyl/core"
import { expect, it } from "vitest"
import { keyedRoutes } from "./keyedRoutes.ts"

it("are the endpoints of the contract that need a key", () => {
  const declared: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      if ([...middleware].some(({ key }) => key === BearerKey.key)) declared.push(`${endpoint.method} ${endpoint.path}`)
    }
  })
  expect(keyedRoutes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(declared.toSorted())
})
