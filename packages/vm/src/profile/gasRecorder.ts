/** Sums gas up by function and by chain of callers while an observed program runs. */
import type { CallObserver } from "../pass/callObserver.ts"

/** How large the tree may become: calls inside of calls, and chains of callers. The sums by function have no such bound. */
export interface TreeBounds {
  readonly depth: number
  readonly nodes: number
}

const defaultBounds: TreeBounds = { depth: 200, nodes: 20_000 }

/** What is in the tree for all calls that are beyond its bounds; no function has this index. */
export const deeperCalls = -1

/** The sums of one function. */
export interface FunctionSum {
  self: bigint
  total: bigint
  calls: number
  /** Its calls that have not ended, and what was spent when the first of them began. */
  open: number
  since: bigint
}

/** One function under one chain of callers. */
export interface TreeNode {
  /** The function's index, or {@link deeperCalls}. */
  readonly index: number
  /** -1 for what the host called. */
  readonly parent: number
  readonly depth: number
  self: bigint
  readonly children: Map<number, number>
}

const newNode = (index: number, parent: number, depth: number): TreeNode => ({ index, parent, depth, self: 0n, children: new Map() })

/** Records one pass. */
export class GasRecorder implements CallObserver {
  readonly #bounds: TreeBounds
  readonly #functions = new Map<number, FunctionSum>()
  readonly #nodes: Array<TreeNode> = []
  /** The nodes of what the host called. */
  readonly #roots = new Map<number, number>()
  /** The open calls: function and node of each, innermost last. */
  readonly #openFunctions: Array<FunctionSum> = []
  readonly #openNodes: Array<number> = []
  #spent = 0n
  #start = 0n

  constructor(bounds: TreeBounds = defaultBounds) {
    this.#bounds = bounds
  }

  /** What was spent outside of every function. */
  get start(): bigint {
    return this.#start
  }

  /** The sums by function index; complete after `end`. */
  get functions(): ReadonlyMap<number, Readonly<FunctionSum>> {
    return this.#functions
  }

  /** The tree, each node behind its parent. */
  get tree(): ReadonlyArray<Readonly<TreeNode>> {
    return this.#nodes
  }

  enter(index: number, gasUsed: bigint): void {
    this.#spend(gasUsed)
    const sum = this.#sumOf(index)
    sum.calls += 1
    if (sum.open === 0) sum.since = gasUsed
    sum.open += 1
    const node = this.#nodeFor(index)
    this.#openFunctions.push(sum)
    this.#openNodes.push(node)
  }

  leave(gasUsed: bigint): void {
    this.#spend(gasUsed)
    this.#openNodes.pop()
    const sum = this.#openFunctions.pop()
    if (sum === undefined) return
    sum.open -= 1
    if (sum.open === 0) sum.total += gasUsed - sum.since
  }

  /** The pass has ended with this much spent: what is open ends with it. */
  end(gasUsed: bigint): void {
    this.#spend(gasUsed)
    while (this.#openFunctions.length > 0) this.leave(gasUsed)
  }

  #spend(gasUsed: bigint): void {
    const gas = gasUsed - this.#spent
    this.#spent = gasUsed
    const sum = this.#openFunctions.at(-1)
    const node = this.#nodes[this.#openNodes.at(-1) ?? -1]
    if (sum === undefined || node === undefined) {
      this.#start += gas
      return
    }
    sum.self += gas
    node.self += gas
  }

  #sumOf(index: number): FunctionSum {
    const known = this.#functions.get(index)
    if (known !== undefined) return known
    const sum: FunctionSum = { self: 0n, total: 0n, calls: 0, open: 0, since: 0n }
    this.#functions.set(index, sum)
    return sum
  }

  #nodeFor(index: number): number {
    const parent = this.#openNodes.at(-1) ?? -1
    const above = this.#nodes[parent]
    if (above?.index === deeperCalls) return parent
    const siblings = above?.children ?? this.#roots
    const known = siblings.get(index)
    if (known !== undefined) return known
    const depth = (above?.depth ?? 0) + 1
    if (depth <= this.#bounds.depth && this.#nodes.length < this.#bounds.nodes) return this.#add(siblings, index, parent, depth)
    return siblings.get(deeperCalls) ?? this.#add(siblings, deeperCalls, parent, depth)
  }

  #add(siblings: Map<number, number>, index: number, parent: number, depth: number): number {
    const node = this.#nodes.length
    this.#nodes.push(newNode(index, parent, depth))
    siblings.set(index, node)
    return node
  }
}
