/** The pure core, for embedding: nothing here touches a disk, a network or a clock. */
export { Fault, type FaultCode } from './errors.ts';
export type { Registration, Snapshot } from './model/registration.ts';
export type { Tool, ToolDefinition } from './model/tool.ts';
export { type Criteria, createRegistry, type Registry, type RegistryOptions } from './registry/registry.ts';
