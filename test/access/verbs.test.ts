import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKey, listKeys, revokeKey } from '../../shared/access/api-keys.ts';
import type { Assay } from '../../shared/assay.ts';
import { decideFor } from '../../shared/decide/decide-for.ts';
import { readAudit } from '../../shared/execute/audit.ts';
import { usageFor } from '../../shared/execute/billing/usage-for.ts';
import { verifyUsage } from '../../shared/execute/billing/verify-usage.ts';
import { decideConfirmation, listConfirmations } from '../../shared/execute/confirmations.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import { listExecutions, readExecution } from '../../shared/execute/executions.ts';
import { grantTool, listGrants, removeGrant } from '../../shared/execute/grants.ts';
import { listImageTools, paintMap } from '../../shared/execute/image-tools.ts';
import { scorePictures } from '../../shared/execute/score-pictures.ts';
import { rateTool } from '../../shared/insight/feedback.ts';
import { forgetExamples, learnFromDecision, listExamples } from '../../shared/insight/learn.ts';
import { listedTools, putOnList, takeOffList } from '../../shared/insight/lists.ts';
import { recommendTools } from '../../shared/insight/recommend-tools.ts';
import { statsFor } from '../../shared/insight/stats-for.ts';
import type { Actor, Scope } from '../../shared/model/key.ts';
import { makePlan } from '../../shared/plan/make-plan.ts';
import { cancelRun, confirmNode, getRun, startRun } from '../../shared/plan/run-verbs.ts';
import { getPlan, savePlanAsTool } from '../../shared/plan/saved-plans.ts';
import { planTaskFor } from '../../shared/plan/task/plan-for.ts';
import { changeTool } from '../../shared/registry/change-tool.ts';
import { eventsFor } from '../../shared/registry/events.ts';
import { exportSnapshot } from '../../shared/registry/export-snapshot.ts';
import { importSnapshot } from '../../shared/registry/import-snapshot.ts';
import { getTool, getVersions, viewFor } from '../../shared/registry/lookup/get-tool.ts';
import { registerTool } from '../../shared/registry/register-tool.ts';
import { removeTool } from '../../shared/registry/remove-tool.ts';
import { requestUpload, uploadedImage } from '../../shared/uploads/request-upload.ts';
import { testAssay } from '../support/assay.ts';

type Verb = (assay: Assay, actor: Actor) => unknown;
const never = {} as never;

/** Every verb that a transport calls, by the scope it needs. */
const verbs: Readonly<Record<Exclude<Scope, never>, Readonly<Record<string, Verb>>>> = {
  read: {
    getTool: (assay, actor) => getTool(assay, actor, 'x'),
    getVersions: (assay, actor) => getVersions(assay, actor, 'x'),
    viewFor,
    exportSnapshot,
    eventsFor: (assay, actor) => eventsFor(assay, actor, 0, 1),
    listExecutions: (assay, actor) => listExecutions(assay, actor, { limit: 1 }),
    readExecution: (assay, actor) => readExecution(assay, actor, 'x'),
    usageFor: (assay, actor) => usageFor(assay, actor, '2026-11'),
    statsFor: (assay, actor) => statsFor(assay, actor, 'x'),
    listedTools: (assay, actor) => listedTools(assay, actor, 'whitelist'),
    listExamples: (assay, actor) => listExamples(assay, actor),
    recommendTools: (assay, actor) => recommendTools(assay, actor, { limit: 1 }),
    getPlan: (assay, actor) => getPlan(assay, actor, 'x'),
    getRun: (assay, actor) => getRun(assay, actor, 'x'),
    listImageTools: (_, actor) => listImageTools(never, actor, never),
    uploadedImage: (assay, actor) => uploadedImage(assay, actor, 'x'),
  },
  invoke: {
    executeTool: (assay, actor) => executeTool(assay, actor, { name: 'x', arguments: {} }),
    learnFromDecision: (assay, actor) => learnFromDecision(assay, actor, 'x', 'x', 'use'),
    decideFor: (assay, actor) => decideFor(assay, actor, { task: 'x' }),
    scorePictures: (_, actor) => scorePictures(never, actor, never),
    paintMap: (_, actor) => paintMap(never, actor, never),
    makePlan: (assay, actor) => makePlan(assay, actor, {}),
    planTaskFor: (assay, actor) => planTaskFor(assay, actor, 'x'),
    startRun: (assay, actor) => startRun(assay, actor, { plan_id: 'x' }),
    cancelRun: (assay, actor) => cancelRun(assay, actor, 'x'),
    rateTool: (assay, actor) => rateTool(assay, actor, { tool: 'x', rating: 5 }),
    requestUpload: (_, actor) => requestUpload(never, actor, {}),
  },
  write: {
    registerTool: (assay, actor) => registerTool(assay, actor, {}),
    changeTool: (assay, actor) => changeTool(assay, actor, 'x', {}),
    removeTool: (assay, actor) => removeTool(assay, actor, 'x'),
    importSnapshot: (assay, actor) => importSnapshot(assay, actor, {}),
    putOnList: (assay, actor) => putOnList(assay, actor, 'whitelist', 'x', {}),
    takeOffList: (assay, actor) => takeOffList(assay, actor, 'whitelist', 'x'),
    forgetExamples: (assay, actor) => forgetExamples(assay, actor, 'x'),
    savePlanAsTool: (assay, actor) => savePlanAsTool(assay, actor, 'x', { name: 'x' }),
  },
  approve: {
    approveConfirmation: (assay, actor) => decideConfirmation(assay, actor, { token: 'x' }, true),
    listConfirmations: (assay, actor) => listConfirmations(assay, actor, { limit: 1 }),
    confirmNode: (assay, actor) => confirmNode(assay, actor, { run: 'x', node: 'y', approve: true }),
  },
  tenant_admin: {
    createKey: (assay, actor) => createKey(assay, actor, { scopes: ['read'] }),
    listKeys: (assay, actor) => listKeys(assay, actor),
    revokeKey: (assay, actor) => revokeKey(assay, actor, 'x'),
    grantTool: (assay, actor) => grantTool(assay, actor, 'x', 'y', never),
    removeGrant: (assay, actor) => removeGrant(assay, actor, 'x', 'y'),
    listGrants: (assay, actor) => listGrants(assay, actor, { limit: 1 }),
    readAudit: (assay, actor) => readAudit(assay, actor, '2026-11', { limit: 1 }),
    verifyUsage: (assay, actor) => verifyUsage(assay, actor, '2026-11', false),
  },
  admin: {
    reload: (assay, actor) => assay.reload(actor),
  },
};

describe('every function that acts for a key checks the scope itself', () => {
  for (const [scope, named] of Object.entries(verbs))
    for (const [name, verb] of Object.entries(named))
      test(`${name} refuses a key without the scope ${scope}`, async () => {
        const { assay } = await testAssay();
        const others = new Set<Scope>((['read', 'invoke', 'write', 'approve'] as const).filter((one) => one !== scope));
        const actor: Actor = { keyId: 'k', tenant: 'default', scopes: others };

        await assert.rejects(async () => verb(assay, actor), {
          name: 'Forbidden',
          details: { scope, scopes: [...others] },
        });
      });
});
