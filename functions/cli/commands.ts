import type { Command } from './command.ts';
import { convert } from './commands/convert.ts';
import { invoke } from './commands/invoke.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './commands/keys.ts';
import { serve } from './commands/serve.ts';
import { exportCommand, importCommand } from './commands/snapshot.ts';
import {
  disableTool,
  enableTool,
  listTools,
  registerTools,
  removeTool,
  showTool,
  toolSchema,
  toolVersions,
} from './commands/tools.ts';

/** Every command by its words. */
export const commands: Readonly<Record<string, Command>> = {
  serve,
  'tools list': listTools,
  'tools show': showTool,
  'tools register': registerTools,
  'tools enable': enableTool,
  'tools disable': disableTool,
  'tools remove': removeTool,
  'tools versions': toolVersions,
  'tools schema': toolSchema,
  convert,
  invoke,
  'keys create': createKeyCommand,
  'keys list': listKeysCommand,
  'keys revoke': revokeKeyCommand,
  'snapshot export': exportCommand,
  'snapshot import': importCommand,
};
