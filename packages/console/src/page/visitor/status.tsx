/** What stands beneath, in a line that is read out when it changes; all of a table would take minutes. */

/** The line; it must stay in the page when its text changes. */
export const Status = ({ text }: { readonly text: string }) => (
  <p class="soft" role="status">
    {text}
  </p>
)
