import { Fault } from '../kernel/errors.ts';
import type { SourcePorts } from './context.ts';

/** For processes that reach nothing outside. */
export const noSources: SourcePorts = {
  allowed: 'off',
  open() {
    throw new Fault('Unavailable', 'this process reaches no sources');
  },
};
