/** What one setting is: its kind, its meaning, and what holds where nothing was said. */
import type { SettingKind } from "./settingKind.ts"

/** A setting. */
export interface Setting<A> {
  readonly kind: SettingKind<A>
  /** In one line, for `--help` and the documentation. */
  readonly meaning: string
  /** What holds where nothing was said, in words; `undefined`: the setting stays unset. */
  readonly otherwise: string
  /** Its own flag without the dashes; every setting can also be given with `--set name=value`. */
  readonly flag?: string
}

/** The type of a setting's values. */
export type ValueOf<S> = S extends Setting<infer A> ? A : never
