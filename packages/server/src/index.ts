/** The public names of the server package, for embedding Sibyl with one call. */
export { type EnsuredProject, type EnsureProjectOptions, KeyFileInvalid } from "./service/ensureProject.ts"
export { openSibyl, ProgramInvalid, type ShownKey, type Sibyl, type SibylOptions } from "./service/openSibyl.ts"
export { type Deployment, type DeploymentPorts, layerPorts } from "./service/ports.ts"
