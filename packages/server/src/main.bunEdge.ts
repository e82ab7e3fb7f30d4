/** The process of an edge on Bun, which `sibyl serve --edges N` starts. */
import { runEdge } from "./serve/edges/runEdge.ts"
import { listenBun } from "./serve/listen/listenBun.ts"

runEdge(listenBun)
