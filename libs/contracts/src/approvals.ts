import type { OperatorRole } from './fixed-values.js';

/** Acts that need a second operator where a tenant has four eyes, with the role that requester and approver need. */
export const guardedActions = {
  releaseSyncJob: 'operator',
  applySyncJob: 'operator',
  undoSyncJob: 'operator',
  eraseIdentity: 'admin',
  replaceMatchingRules: 'admin',
  replaceAttributePriorities: 'admin',
  replaceLifecyclePolicy: 'admin',
  updateConnector: 'admin',
  replaceOperatorPolicy: 'admin',
  updateSettings: 'admin',
  confirmOperation: 'admin',
  retireDeletedConnector: 'admin',
  handOverDeletedConnector: 'admin',
  deleteTenant: 'admin',
} as const satisfies Record<string, OperatorRole>;
export type GuardedAction = keyof typeof guardedActions;
/** Guarded acts for which both operators must be allowed to access all tenants. */
export const actsOnTenants: ReadonlySet<GuardedAction> = new Set(['deleteTenant']);
