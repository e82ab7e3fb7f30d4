/** Defines a setting: its kind, meaning and default. */
import type { SettingKind } from "./settingKind.ts"

/** A setting. */
export interface Setting<A> {
  readonly kind: SettingKind<A>
  /** In one line, for `--help` and the documentation. */
  readonly meaning: string
  /** The default in words; `undefined` if the setting stays unset. */
  readonly otherwise: string
  /** Its own flag without the dashes; every setting can also be given with `--set name=value`. */
  readonly flag?: string
}

/** The type of a setting's values. */
export type ValueOf<S> = S extends Setting<infer A> ? A : never

/** Makes a setting. */
export const setting = <A>(kind: SettingKind<A>, meaning: string, otherwise: string, flag?: string): Setting<A> => ({
  kind,
  meaning,
  otherwise,
  ...(flag === undefined ? {} : { flag })
})
