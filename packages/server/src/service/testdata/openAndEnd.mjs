// A process that opens a Sibyl on a database, in the way of its argument, and ends by itself once nothing is open any more.
import { openSibyl } from "@sibyl/server"
import { Layer } from "effect"

const [, , way, database] = process.argv
const ways = {
  failed: () =>
    openSibyl({ database, workers: 1, feedRelay: Layer.die("no relay") }).then(
      () => process.exit(1),
      () => {}
    ),
  logged: async () => {
    const sibyl = await openSibyl({ database, workers: 1, logRequests: true })
    await sibyl.close()
  }
}
await ways[way]()
