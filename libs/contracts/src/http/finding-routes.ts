import { findingKinds, findingPolicy, findingStates } from '../findings.js';
import * as shown from './finding-resources.js';
import { operation } from './operator-routes.js';
import * as requests from './requests.js';
import { limit, ok, operator, type RouteDefinition, tenantPath } from './route.js';

/** Operators' routes for findings. */
export const findingRoutes: RouteDefinition[] = [
  operator('GET', `${tenantPath}/findings`, 'List findings, the newest first', ok(shown.findingPage), undefined, [
    limit,
    { name: 'cursor', description: '`next_cursor` of an earlier page.', schema: { type: 'string' } },
    { name: 'kind', description: 'Only this kind.', schema: { type: 'string', enum: [...findingKinds] } },
    { name: 'state', description: 'Only this state.', schema: { type: 'string', enum: [...findingStates] } },
    {
      name: 'subject',
      description:
        'Only findings about this user, account, machine identity or connector, or concerning this identity.',
      schema: { type: 'string' },
    },
    {
      name: 'since',
      description: 'Only findings that were first opened at or after this time.',
      schema: { type: 'string', format: 'date-time' },
    },
  ]),
  operator('GET', `${tenantPath}/findings/{findingId}`, 'Get one finding', ok(shown.finding)),
  operation(
    'POST',
    `${tenantPath}/findings/{findingId}/accept`,
    'Accept a finding with a reason, until a time or permanently',
    requests.acceptFindingBody,
  ),
  {
    ...operation(
      'POST',
      `${tenantPath}/findings/{findingId}/reopen`,
      'Withdraw the acceptance of a finding',
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
  operator('GET', `${tenantPath}/finding-policy`, 'Get the settings for findings', ok(findingPolicy)),
  operator(
    'PUT',
    `${tenantPath}/finding-policy`,
    'Replace the settings for findings',
    ok(findingPolicy),
    findingPolicy,
  ),
];
