import { findingPolicy } from '../findings.js';
import { findingKinds, findingStates } from '../fixed-values.js';
import * as shown from './finding-resources.js';
import { operation } from './operator-routes.js';
import * as requests from './requests.js';
import { choice, limit, type RouteDefinition, tenant, textParameter, timeParameter } from './route.js';

/** Operators' routes for findings. */
export const findingRoutes: RouteDefinition[] = [
  tenant.get('/findings', 'List findings, the newest first', shown.findingPage, {
    query: [
      limit,
      textParameter('cursor', '`next_cursor` of an earlier page.'),
      choice('kind', 'Only this kind.', findingKinds),
      choice('state', 'Only this state.', findingStates),
      textParameter(
        'subject',
        'Only findings about this user, account, machine identity or connector, or concerning this identity.',
      ),
      timeParameter('since', 'Only findings that were first opened at or after this time.'),
    ],
  }),
  tenant.get('/findings/{findingId}', 'Get one finding', shown.finding),
  operation('/findings/{findingId}/accept', 'Accept a finding with a reason, until a time or permanently', {
    body: requests.acceptFindingBody,
  }),
  operation('/findings/{findingId}/reopen', 'Withdraw the acceptance of a finding', {
    body: requests.reasonBody,
    bodyOptional: true,
  }),
  tenant.get('/finding-policy', 'Get the settings for findings', findingPolicy),
  tenant.put('/finding-policy', 'Replace the settings for findings', findingPolicy, { body: findingPolicy }),
];
