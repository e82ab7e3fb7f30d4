/** Flame graphs in the file format of speedscope: one profile for each phase, in gas. */
import type { CallNode, PhaseProfile } from "@sibyl/devkit"
import { phaseName } from "./phaseName.ts"

/** A frame begins or ends after so much gas. */
export interface FlameEvent {
  readonly type: "O" | "C"
  /** An index into the shared frames. */
  readonly frame: number
  readonly at: number
}

/** The file: names once, then the calls of each phase as they begin and end. */
export interface FlameGraph {
  readonly $schema: "https://www.speedscope.app/file-format-schema.json"
  readonly name: string
  readonly exporter: string
  readonly activeProfileIndex: number
  readonly shared: { readonly frames: ReadonlyArray<{ readonly name: string }> }
  readonly profiles: ReadonlyArray<{
    readonly type: "evented"
    readonly name: string
    readonly unit: "none"
    readonly startValue: number
    readonly endValue: number
    readonly events: ReadonlyArray<FlameEvent>
  }>
}

const childrenOf = (tree: ReadonlyArray<CallNode>): ReadonlyMap<number, ReadonlyArray<number>> => {
  const children = new Map<number, Array<number>>()
  for (const [at, { parent }] of tree.entries()) {
    const known = children.get(parent)
    if (known === undefined) children.set(parent, [at])
    else known.push(at)
  }
  return children
}

/** Calls of one function from one place are one frame: its own gas, then what it called, in the order of the first calls. */
const eventsOf = (tree: ReadonlyArray<CallNode>, frameOf: (name: string) => number): ReadonlyArray<FlameEvent> => {
  const children = childrenOf(tree)
  const events: Array<FlameEvent> = []
  let gas = 0n
  const write = (at: number): void => {
    const node = tree[at]
    if (node === undefined) return
    const frame = frameOf(node.name)
    events.push({ type: "O", frame, at: Number(gas) })
    gas += node.self
    for (const child of children.get(at) ?? []) write(child)
    events.push({ type: "C", frame, at: Number(gas) })
  }
  for (const root of children.get(-1) ?? []) write(root)
  return events
}

/** The flame graphs of those phases that have a profile. */
export const flameGraph = (name: string, profiles: ReadonlyArray<PhaseProfile>): FlameGraph => {
  const frames = new Map<string, number>()
  const frameOf = (frame: string): number => {
    const known = frames.get(frame)
    if (known !== undefined) return known
    frames.set(frame, frames.size)
    return frames.size - 1
  }
  const written = profiles
    .filter(({ missing }) => missing === undefined)
    .map((profile) => ({
      type: "evented" as const,
      name: `${phaseName(profile, profiles)} (gas)`,
      unit: "none" as const,
      startValue: 0,
      endValue: Number(profile.gasUsed),
      events: eventsOf(profile.tree, frameOf)
    }))
  return {
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name,
    exporter: "sibyl profile",
    activeProfileIndex: 0,
    shared: { frames: [...frames.keys()].map((frame) => ({ name: frame })) },
    profiles: written
  }
}
