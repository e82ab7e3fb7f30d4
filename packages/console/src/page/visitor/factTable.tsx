/** A table of names and values. */

/** Rows whose value is undefined are left out; without rows there is no table. */
export const FactTable = ({ facts, title }: { readonly title: string; readonly facts: Readonly<Record<string, unknown>> }) => {
  const rows = Object.entries(facts).filter(([, value]) => value !== undefined && value !== "")
  return rows.length === 0 ? null : (
    <section>
      <h2>{title}</h2>
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{typeof value === "string" ? value : JSON.stringify(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
