import { Fault } from '../../shared/kernel/errors.ts';

const OLDEST = 24;

// Imported before anything that an older Node cannot parse.
if (Number.parseInt(process.versions.node, 10) < OLDEST)
  throw new Fault(
    'Unavailable',
    `assay needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}; install a newer Node, or run: npx --package=node@${OLDEST} node your-script.js`,
  );
