/** The process of an edge on Node, which `sibyl serve --edges N` starts. */
import { runEdge } from "./serve/edges/runEdge.ts"
import { listenNode } from "./serve/listen/listenNode.ts"

runEdge(listenNode)
