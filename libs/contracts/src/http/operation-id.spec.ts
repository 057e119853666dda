import { describe, expect, it } from '@jest/globals';
import { operationIdOf } from './operation-id.js';
import { routes } from './routes.js';

const named = new Map(routes.map((route) => [`${route.method} ${route.path}`, operationIdOf(route)]));
const tenant = '/admin/v1/tenants/{tenantId}';

describe('names of operations', () => {
  it.each([
    ['GET /v1/identities', 'listIdentities'],
    ['GET /v1/identities/{id}', 'getIdentity'],
    ['GET /v1/identities/{id}/history', 'listIdentityHistory'],
    ['POST /v1/webhooks', 'createWebhook'],
    ['PATCH /v1/webhooks/{id}', 'updateWebhook'],
    ['DELETE /v1/webhooks/{id}', 'deleteWebhook'],
    ['POST /v1/webhooks/{id}/rotate-secret', 'rotateWebhookSecret'],
    [`GET ${tenant}/identities/{identityId}/explain`, 'adminExplainIdentity'],
    [`GET ${tenant}/sync-jobs/{jobId}/plan`, 'adminGetSyncJobPlan'],
    ['POST /admin/v1/session', 'adminSignIn'],
    ['DELETE /admin/v1/session', 'adminSignOut'],
    ['DELETE /admin/v1/sessions/{sessionId}', 'adminEndSession'],
    [`PUT ${tenant}/matching-rules`, 'adminReplaceMatchingRules'],
    [`POST ${tenant}/sync-jobs/{jobId}/release`, 'adminReleaseSyncJob'],
  ])('%s is %s', (route, name) => {
    expect(named.get(route)).toBe(name);
  });

  it('differ from each other, and say which ones are for operators', () => {
    expect(new Set(named.values()).size).toBe(routes.length);
    for (const [route, name] of named)
      expect([route, name.startsWith('admin')]).toEqual([route, route.includes(' /admin/')]);
  });
});
