import { approvalStatuses } from '../fixed-values.js';
import * as shown from './approval-resources.js';
import * as requests from './requests.js';
import { choice, page, type RouteDefinition, tenant } from './route.js';

const decision = { body: requests.reasonBody, bodyOptional: true };

/** Routes for acts that wait for a second operator. */
export const approvalRoutes: RouteDefinition[] = [
  tenant.get('/approvals', 'List acts that need a second operator, the newest first', shown.approvalPage, {
    query: [...page, choice('status', 'Only this status.', approvalStatuses)],
  }),
  tenant.get('/approvals/{approvalId}', 'Get one approval', shown.approval),
  tenant.post(
    '/approvals/{approvalId}/approve',
    'Approve an act that another operator requested, and perform it',
    shown.approval,
    {
      ...decision,
      description:
        'The approval and the act are one transaction. Repeating the request changes nothing. 403 for the operator who requested the act, 400 if it was rejected, has expired or is stale.',
    },
  ),
  tenant.post('/approvals/{approvalId}/reject', 'Reject an act, or withdraw an own request', shown.approval, decision),
];
