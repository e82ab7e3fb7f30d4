/** Remembers what the stores answered about keys, projects, programs and their names for as long as none of these changes. */
import { type Context, Effect } from "effect"
import type { RecentMap } from "../../domain/encoding/recentMap.ts"
import type { Freshness } from "../../ports/freshness.ts"

/** Answers of one kind, by name. If the stores cannot tell whether they have changed, nothing is remembered. */
export class SettingsMemory<Value extends object> {
  readonly #freshness: Pick<Context.Tag.Service<Freshness>, "settings">
  readonly #known: RecentMap<Value>
  /** The version of the settings of which everything known is. */
  #version: string | number | undefined

  constructor(freshness: Pick<Context.Tag.Service<Freshness>, "settings">, known: RecentMap<Value>) {
    this.#freshness = freshness
    this.#known = known
  }

  /** The remembered value, as valid now as a query of the stores would be. */
  find(name: string): Value | undefined {
    const version = this.#freshness.settings()
    if (version !== this.#version) {
      this.#known.clear()
      this.#version = version
    }
    return version === undefined ? undefined : this.#known.get(name)
  }

  /** Forgets one value, which has become invalid by itself. */
  forget(name: string): void {
    this.#known.delete(name)
  }

  /** The remembered value, or else that of `ask`, which is remembered unless the settings change while it is asked for. */
  around<E, R>(name: string, ask: () => Effect.Effect<Value, E, R>): Effect.Effect<Value, E, R> {
    return Effect.suspend(() => {
      const known = this.find(name)
      if (known !== undefined) return Effect.succeed(known)
      const version = this.#version
      if (version === undefined) return ask()
      return Effect.map(ask(), (value) => {
        // The version was read before the stores were: if it still counts for the next reader, so does the value.
        if (this.#version === version) this.#known.set(name, value)
        return value
      })
    })
  }
}
