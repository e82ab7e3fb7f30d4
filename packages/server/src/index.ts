/** The stand-alone server's building blocks, for those who embed Sibyl with one call. */
export { type EnsuredProject, type EnsureProjectOptions, KeyFileInvalid } from "./ensureProject.ts"
export { openSibyl, ProgramInvalid, type ShownKey, type Sibyl, type SibylOptions } from "./openSibyl.ts"
export { type Deployment, type DeploymentPorts, layerPorts } from "./ports.ts"
