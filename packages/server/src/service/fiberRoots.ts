/**
 * Effect lists all fibers without a parent in a `Set`. Fibers come and go, and for the reason that `TransientMap` states many of them grew
 * old there with all of their runs (of fibers that do nothing but wait, three in four fewer since). The list is replaced by one that lets go.
 */
import { TransientMap } from "@sibyl/core/internal"
import { type Fiber, GlobalValue } from "effect"

type RootFiber = Fiber.RuntimeFiber<unknown, unknown>

/** A set of fibers, by their ids. */
export class RootFibers extends Set<RootFiber> {
  readonly #fibers: TransientMap<number, RootFiber>

  constructor(fibers: Iterable<RootFiber>) {
    super()
    this.#fibers = new TransientMap()
    for (const fiber of fibers) this.add(fiber)
  }

  override get size(): number {
    return this.#fibers.size
  }

  override add(fiber: RootFiber): this {
    this.#fibers.set(fiber.id().id, fiber)
    return this
  }

  override has(fiber: RootFiber): boolean {
    return this.#fibers.has(fiber.id().id)
  }

  override delete(fiber: RootFiber): boolean {
    return this.#fibers.delete(fiber.id().id)
  }

  override clear(): void {
    this.#fibers.clear()
  }

  override forEach(call: (fiber: RootFiber, again: RootFiber, set: Set<RootFiber>) => void, self?: unknown): void {
    for (const fiber of this) call.call(self, fiber, fiber, this)
  }

  override *values(): SetIterator<RootFiber> {
    yield* this.#fibers.values()
  }

  override keys(): SetIterator<RootFiber> {
    return this.values()
  }

  override *entries(): SetIterator<[RootFiber, RootFiber]> {
    for (const fiber of this) yield [fiber, fiber]
  }

  override [Symbol.iterator](): SetIterator<RootFiber> {
    return this.values()
  }
}

/** Where Effect keeps the list; it is no part of its API, so that another version may have none: then nothing is replaced. */
const scope = (): { roots?: unknown } | undefined =>
  GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), (): { roots?: unknown } | undefined => undefined)

/** Replaces the list, once for the whole process; whether it is replaced. */
export const letRootsGo = (): boolean => {
  const global = scope()
  if (!(global?.roots instanceof Set)) return false
  if (!(global.roots instanceof RootFibers)) global.roots = new RootFibers(global.roots as Set<RootFiber>)
  return true
}
