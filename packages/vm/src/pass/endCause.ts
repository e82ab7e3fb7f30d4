/** Why a program ended, and what it is told of it. */

/** Why the program ended. */
export type EndCause =
  | { readonly kind: "returned" }
  | { readonly kind: "exit"; readonly code: number }
  /** A trap of the host, whose text is part of the ABI. */
  | { readonly kind: "hostTrap"; readonly text: string }
  | { readonly kind: "engineTrap"; readonly text: string }
  | { readonly kind: "unpaidCall" }
  | { readonly kind: "outOfGas" }

/** The message of both references if gas runs out. */
export const ranOutOfGas = "Ran out of gas"

/** Why the VM ended the program; undefined if the program ended by itself. */
export const reasonOf = (cause: EndCause): string | undefined => {
  switch (cause.kind) {
    case "outOfGas":
    case "unpaidCall":
      return ranOutOfGas
    case "hostTrap":
    case "engineTrap":
      return cause.text
    default:
      return undefined
  }
}
