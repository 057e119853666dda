import { call, callInstallation } from '../../data/api';
import { offsetPages } from '../../data/pages';

export const keysQuery = (tenantId: string) =>
  offsetPages(['api-keys', tenantId], (offset) => call('GET /api-keys', { tenantId }, { limit: 100, offset }));

export const serviceTokensQuery = offsetPages(['service-tokens'], (offset) =>
  callInstallation('GET /service-tokens', {}, { limit: 100, offset }),
);

// Not live: reading it again and again would extend the session of the reader.
export const sessionsQuery = offsetPages(['sessions'], (offset) =>
  callInstallation('GET /sessions', {}, { limit: 100, offset }),
);

export const scopes = [
  'identities:read',
  'users:read',
  'accounts:read',
  'machines:read',
  'groups:read',
  'events:read',
  'sync:read',
  'sync:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof scopes)[number];

export const roles = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: also decides' },
  { value: 'auditor', label: 'Auditor: also reads the audit log' },
  { value: 'admin', label: 'Admin: everything' },
] as const;
