/** Why something did not go, read out at once. */

/** The text; nothing without one. */
export const Fault = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <p class="bad" role="alert">
      {text}
    </p>
  )
