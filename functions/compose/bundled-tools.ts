import type { ToolSource } from '../../shared/registry/load.ts';

/** The configured and plugin tools that bundling found; it replaces this file, which stands for none. */
export const bundledTools = async (): Promise<readonly ToolSource[]> => [];
