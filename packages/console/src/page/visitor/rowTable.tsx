/** A table with a line for each of many things; it scrolls sideways where it does not fit. */
import type { ComponentChildren } from "preact"

interface Parts {
  /** For whoever does not see it. */
  readonly label: string
  readonly heads: ReadonlyArray<string>
  /** The rows: a `tr` each. */
  readonly children: ComponentChildren
}

/** Heads and rows. */
export const RowTable = ({ children, heads, label }: Parts) => (
  <div class="wide" role="region" aria-label={label} tabIndex={0}>
    <table class="runs">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
