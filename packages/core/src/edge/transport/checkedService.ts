/** What an adapter is given to mount, which code without types may mistake for something else. */
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import type { Service } from "./seam.ts"

/** The same. Throws `InvalidOption` for what is no service, such as the Sibyl that has it: it would answer every request with a defect. */
export const checkedService = (service: Service): Service => {
  const given: unknown = service
  if (typeof given === "object" && given !== null && "fetch" in given && typeof given.fetch === "function") return service
  throw new InvalidOption("service", "must be a service: of what openSibyl answers, its member service")
}
