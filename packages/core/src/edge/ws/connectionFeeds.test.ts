/** The error for a feed that a connection does not have. */
import { expect, it } from "vitest"
import { rpcClient } from "../../testdata/rpcClient.ts"
import { openTestService } from "../../testdata/testService.ts"

it("an unknown feed's id is echoed, but no text that is not an id", async () => {
  const { key, service } = await openTestService()
  const client = await rpcClient(service, key)
  const feedId = "00000000-0000-4000-8000-000000000000"
  const error = { code: 32001, _tag: "FeedNotFound" }
  expect(await client.ask("feed.stop", { feedId })).toMatchObject({ error: { ...error, details: { feedId } } })
  const misplaced = await client.ask("feed.stop", { feedId: key })
  expect(misplaced).toMatchObject({ error })
  expect(JSON.stringify(misplaced)).not.toContain(key)
  await service.dispose()
})
