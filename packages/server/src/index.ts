/** The public names of the server package, for embedding Sibyl with one call. */

// The errors of its calls that are of the core, which an embedder need not install.
export { InvalidOption, InvalidSetting, KeyEnded, KeyNotFound, ProjectNotFound, StoreUnavailable } from "@sibyl/core"

export { type EnsuredProject, type EnsureProjectOptions } from "./service/project/ensureProject.ts"
export { KeyFileInvalid } from "./service/project/keyFile.ts"
export { openSibyl } from "./service/openSibyl.ts"
export { ProgramInvalid, type ShownKey, type Sibyl, SibylClosed } from "./service/sibyl.ts"
export type { SibylOptions } from "./service/sibylOptions.ts"
export { ProgramNotDeployed } from "./service/giveName.ts"
export { type Deployment, type DeploymentPorts, layerPorts } from "./service/ports.ts"
