import type { Command } from './command.ts';
import { convert } from './commands/convert.ts';
import { decide } from './commands/decide.ts';
import { events } from './commands/events.ts';
import { executions, recommend, stats } from './commands/executions.ts';
import { invoke } from './commands/invoke.ts';
import { fit, listIqa, modelsAdd, modelsList, modelsShow, modelsVerify, verify } from './commands/iqa.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './commands/keys.ts';
import {
  addGrantCommand,
  approveCommand,
  listConfirmationsCommand,
  listGrantsCommand,
  refuseCommand,
  removeGrantCommand,
} from './commands/permissions.ts';
import { plan, run } from './commands/plan.ts';
import { score } from './commands/score.ts';
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
import { usage } from './commands/usage.ts';

/** Every command by its words. */
export const commands: Readonly<Record<string, Command>> = {
  serve,
  score,
  verify,
  fit,
  'iqa list': listIqa,
  'models list': modelsList,
  'models add': modelsAdd,
  'models verify': modelsVerify,
  'models show': modelsShow,
  'tools list': listTools,
  'tools show': showTool,
  'tools register': registerTools,
  'tools enable': enableTool,
  'tools disable': disableTool,
  'tools remove': removeTool,
  'tools versions': toolVersions,
  'tools schema': toolSchema,
  convert,
  decide,
  plan,
  run,
  invoke,
  executions,
  stats,
  recommend,
  events,
  'confirmations list': listConfirmationsCommand,
  'confirmations approve': approveCommand,
  'confirmations refuse': refuseCommand,
  'grants list': listGrantsCommand,
  'grants add': addGrantCommand,
  'grants remove': removeGrantCommand,
  usage,
  'keys create': createKeyCommand,
  'keys list': listKeysCommand,
  'keys revoke': revokeKeyCommand,
  'snapshot export': exportCommand,
  'snapshot import': importCommand,
};
