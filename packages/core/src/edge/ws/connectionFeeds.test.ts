/** What the service says of a feed that a connection does not have. */
import { expect, it } from "vitest"
import { rpcClient } from "../../testdata/rpcClient.ts"
import { openWorld } from "../../testdata/world.ts"

it("an unknown feed's id is repeated, and nothing else that stands in its place", async () => {
  const { key, service } = await openWorld()
  const client = await rpcClient(service, key)
  const feedId = "00000000-0000-4000-8000-000000000000"
  const error = { code: 32001, _tag: "FeedNotFound" }
  expect(await client.ask("feed.stop", { feedId })).toMatchObject({ error: { ...error, details: { feedId } } })
  const misplaced = await client.ask("feed.stop", { feedId: key })
  expect(misplaced).toMatchObject({ error })
  expect(JSON.stringify(misplaced)).not.toContain(key)
  await service.dispose()
})
