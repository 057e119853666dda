import * as shown from './approval-resources.js';
import * as requests from './requests.js';
import { actions, operators, tenant } from './route.js';

const decision = { body: requests.reasonBody, bodyOptional: true } as const;

/** Routes for acts that wait for a second operator. */
export const approvalRoutes = actions({
  listApprovals: tenant.get(
    '/approvals',
    'List acts that need a second operator, the newest first',
    shown.approvalPage,
    { query: requests.approvalQuery },
  ),
  getApproval: tenant.get('/approvals/{approvalId}', 'Get one approval', shown.approval),
  approveApproval: operators.post(
    '/approvals/{approvalId}/approve',
    'Approve an act that another operator requested, and perform it',
    shown.approval,
    {
      ...decision,
      description:
        'The approval and the act are one transaction. Repeating the request changes nothing. 403 for the operator who requested the act, 400 if it was rejected, has expired or is stale.',
    },
  ),
  rejectApproval: operators.post(
    '/approvals/{approvalId}/reject',
    'Reject an act, or withdraw an own request',
    shown.approval,
    decision,
  ),
});
