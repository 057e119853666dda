import { approvalStatuses } from '../approvals.js';
import * as shown from './approval-resources.js';
import * as requests from './requests.js';
import { ok, operator, page, type RouteDefinition, tenantPath } from './route.js';

const one = `${tenantPath}/approvals/{approvalId}`;

/** Routes for acts that wait for a second operator. */
export const approvalRoutes: RouteDefinition[] = [
  operator(
    'GET',
    `${tenantPath}/approvals`,
    'List acts that need a second operator, the newest first',
    ok(shown.approvalPage),
    undefined,
    [
      ...page,
      { name: 'status', description: 'Only this status.', schema: { type: 'string', enum: [...approvalStatuses] } },
    ],
  ),
  operator('GET', one, 'Get one approval', ok(shown.approval)),
  {
    ...operator(
      'POST',
      `${one}/approve`,
      'Approve an act that another operator requested, and perform it',
      ok(shown.approval),
      requests.reasonBody,
    ),
    bodyOptional: true,
    description:
      'The approval and the act are one transaction. Repeating the request changes nothing. 403 for the operator who requested the act, 400 if it was rejected, has expired or is stale.',
  },
  {
    ...operator(
      'POST',
      `${one}/reject`,
      'Reject an act, or withdraw an own request',
      ok(shown.approval),
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
];
