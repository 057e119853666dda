import { findingPolicy } from '../findings.js';
import * as shown from './finding-resources.js';
import { operation } from './operator-resources.js';
import * as requests from './requests.js';
import { actions, operators, queuedOrHeld, tenant } from './route.js';

/** Operators' routes for findings. */
export const findingRoutes = actions({
  listFindings: tenant.get('/findings', 'List findings, the newest first', shown.findingPage, {
    query: requests.findingQuery,
  }),
  countFindings: tenant.get('/findings/counts', 'Count the open findings by kind', shown.findingCounts),
  getFinding: tenant.get('/findings/{findingId}', 'Get one finding', shown.finding),
  acceptFinding: operators.post(
    '/findings/{findingId}/accept',
    'Accept a finding with a reason, until a time or permanently',
    operation,
    { ...queuedOrHeld, body: requests.acceptFindingBody },
  ),
  reopenFinding: operators.post('/findings/{findingId}/reopen', 'Withdraw the acceptance of a finding', operation, {
    ...queuedOrHeld,
    body: requests.reasonBody,
    bodyOptional: true,
  }),
  getFindingPolicy: tenant.get('/finding-policy', 'Get the settings for findings', findingPolicy),
  replaceFindingPolicy: tenant.put('/finding-policy', 'Replace the settings for findings', findingPolicy, {
    body: findingPolicy,
  }),
});
