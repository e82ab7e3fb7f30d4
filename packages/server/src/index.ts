/** The stand-alone server's building blocks, for those who embed Sibyl with one call. */
export { type EnsuredProject, type EnsureProjectOptions, KeyFileInvalid } from "./service/ensureProject.ts"
export { openSibyl, ProgramInvalid, type ShownKey, type Sibyl, type SibylOptions } from "./service/openSibyl.ts"
export { type Deployment, type DeploymentPorts, layerPorts } from "./service/ports.ts"
