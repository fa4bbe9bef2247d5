import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { Snapshot } from '../../../shared/model/registration.ts';
import { exportSnapshot, importSnapshot } from '../../../shared/registry/import-snapshot.ts';
import { readJson } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';

export const snapshotRoutes: Routes = (app, assay) => {
  const SnapshotBody = z.object(Snapshot.shape).meta({ id: 'Snapshot' });
  const answers = { 200: { description: 'All that the tenant owns', schema: SnapshotBody } };
  describe(app, {
    method: 'get',
    path: '/v1/snapshot',
    summary: 'Export the tenant’s tools',
    tag: 'Snapshot',
    answers,
  });
  describe(app, {
    method: 'post',
    path: '/v1/snapshot',
    summary: 'Make the tenant’s tools those of a snapshot',
    tag: 'Snapshot',
    body: SnapshotBody,
    answers,
    faults: ['InvalidInput', 'Conflict'],
  });

  app.get('/v1/snapshot', async (c) => {
    requireScope(c.var.actor, 'read');
    return c.json(await exportSnapshot(assay, c.var.tenant));
  });

  app.post('/v1/snapshot', async (c) => {
    requireScope(c.var.actor, 'write');
    return c.json(await importSnapshot(assay, c.var.tenant, await readJson(c)));
  });
};
