import type { OperatorRole } from '../fixed-values.js';
import { actionOf } from './operation-id.js';
import type { RouteDefinition } from './route.js';

/** Roles of the actions that need another one than viewer to read and admin to write. */
const exceptions: ReadonlyMap<string, OperatorRole> = new Map(
  Object.entries({
    viewer: ['signOut'],
    operator: [
      ...['testConnector', 'discoverConnector', 'syncConnectorRecord', 'createSyncJob', 'cancelSyncJob'],
      ...['releaseSyncJob', 'applySyncJob', 'undoSyncJob', 'resolveCase', 'mergeIdentity', 'splitIdentity'],
      ...['previewMatchingRules', 'revertOperation', 'approveApproval', 'rejectApproval', 'acceptFinding'],
      ...['reopenFinding', 'testWebhook', 'requeueWebhook', 'replayWebhook', 'resendDelivery', 'cancelReplay'],
    ],
    auditor: [
      ...['listAllAudit', 'getInstallationAuditVerification', 'listAudit', 'getAuditVerification'],
      ...['listServiceTokens', 'listSessions'],
    ],
    admin: ['exportTenant'],
  } satisfies Record<OperatorRole, string[]>).flatMap(([role, actions]) =>
    actions.map((action) => [action, role as OperatorRole] as const),
  ),
);

/** Actions that concern the installation, although some have a tenant: operators of some tenants may not do them. */
const ofInstallation = new Set([
  ...['createTenant', 'updateTenant', 'deleteTenant', 'replaceQuotas', 'getInstallationAuditVerification'],
  ...['listServiceTokens', 'createServiceToken', 'deleteServiceToken', 'listSessions', 'endSession', 'getSystem'],
  ...['listSystemDeadLetters', 'getSystemDeadLetter', 'requeueSystemDeadLetter', 'discardSystemDeadLetter'],
]);

/** Adds what a route of operators needs of its caller. */
export function withRole(route: RouteDefinition): RouteDefinition {
  if (route.auth !== 'operator') return route;
  const action = actionOf(route);
  const role = exceptions.get(action) ?? (route.method === 'GET' ? 'viewer' : 'admin');
  return { ...route, role, ...(ofInstallation.has(action) && { forAllTenants: true }) };
}
