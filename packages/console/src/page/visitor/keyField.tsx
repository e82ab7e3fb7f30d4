/** Where the key is entered. It is kept in this page's memory only. */

interface Parts {
  /** Of the field, unique in the page. */
  readonly id: string
  readonly value: string
  readonly onInput: (key: string) => void
  readonly onDone: () => void
}

/** The field and its label. */
export const KeyField = ({ id, onDone, onInput, value }: Parts) => (
  <>
    <label for={id}>API key</label>
    <input
      id={id}
      type="password"
      autocomplete="off"
      required
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      onBlur={onDone}
    />
    <p class="soft">Kept in memory until this page is closed.</p>
  </>
)
