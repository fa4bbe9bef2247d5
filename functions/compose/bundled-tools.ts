import type { ToolSource } from '../../shared/registry/load.ts';

/** The configured and plugin tools that bundling found; it replaces this file, which stands for none. */
export const bundledTools = async (): Promise<readonly ToolSource[]> => [];

/** The configuration that bundling found, for the sources in it. */
export const bundledConfig = (): unknown => undefined;
