/** What is no service is refused where it would be mounted. */
import { expect, it } from "vitest"
import { openTestService } from "../../testdata/testService.ts"
import { checkedService } from "./checkedService.ts"
import { toWebHandler } from "./webHandler.ts"
import type { Service } from "./seam.ts"

it("a service is itself, and nothing else is one", async () => {
  const { service } = await openTestService()
  expect(checkedService(service)).toBe(service)
  const refused = expect.objectContaining({ _tag: "InvalidOption", option: "service" })
  for (const other of [undefined, null, { service }, { fetch: "x" }, () => undefined]) {
    expect(() => checkedService(other as unknown as Service)).toThrow(refused)
    expect(() => toWebHandler(other as unknown as Service)).toThrow(refused)
  }
  await service.dispose()
})
