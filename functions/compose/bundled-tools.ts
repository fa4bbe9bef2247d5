import type { ToolSource } from '../../shared/registry/load.ts';

/** The configured and plugin tools of a bundle: bundling replaces this file, which has none. */
export const bundledTools = async (): Promise<readonly ToolSource[]> => [];

/** The configuration of a bundle, for its sources. */
export const bundledConfig = (): unknown => undefined;
