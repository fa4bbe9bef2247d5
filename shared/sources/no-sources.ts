import { Fault } from '../kernel/errors.ts';
import type { SourcePorts } from './context.ts';

/** The ports of processes without access to sources. */
export const noSources: SourcePorts = {
  allowed: 'off',
  open() {
    throw new Fault('Unavailable', 'this process reaches no sources');
  },
};
