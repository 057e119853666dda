import type { RouteDefinition } from './route.js';

/** Names that do not follow from method and path. */
const exceptions: Record<string, string> = {
  'GET deletion': 'getTenantDeletion',
  'POST deletion': 'deleteTenant',
  'GET export': 'exportTenant',
  'GET identities/{identityId}/explain': 'explainIdentity',
  'GET sync-jobs/{jobId}/plan': 'getSyncJobPlan',
  'POST session': 'signIn',
  'DELETE session': 'signOut',
  'DELETE sessions/{sessionId}': 'endSession',
  'GET session/oidc/start': 'startOidcSignIn',
  'GET session/oidc/callback': 'completeOidcSignIn',
  'GET session/oidc/end': 'endOidcSession',
  'POST session/oidc/backchannel-logout': 'reportOidcLogout',
  'POST session/device': 'startDeviceSignIn',
  'POST session/device/token': 'completeDeviceSignIn',
  'PATCH settings': 'updateSettings',
  'DELETE /v1/webhooks/{id}/portal-links': 'revokeWebhookPortalLinks',
  'DELETE webhooks/{webhookId}/portal-links': 'revokeWebhookPortalLinks',
  'GET /admin/v1/audit': 'listAllAudit',
  'GET /admin/v1/audit/verification': 'getInstallationAuditVerification',
};

/**
 * Returns the name of an operation in generated clients, such as `listIdentities`, `rotateWebhookSecret` or
 * `adminReleaseSyncJob`. Derived from method and path, so that a new route is named like its neighbours.
 */
export function operationIdOf(route: RouteDefinition): string {
  const isOperators = route.path.startsWith('/admin/');
  const path = route.path.replace(/^\/admin\/v1\/(tenants\/\{tenantId\}\/)?/, '');
  const exception = exceptions[`${route.method} ${route.path}`] ?? exceptions[`${route.method} ${path}`];
  const name = exception ?? derivedName(route, path.replace(/^\/v1\//, ''));
  return isOperators ? `admin${capitalised(name)}` : name;
}

/** Returns the action that the audit log records for a route: its operation without `admin`. */
export function actionOf(route: RouteDefinition): string {
  const id = operationIdOf(route).replace(/^admin/, '');
  return `${id.charAt(0).toLowerCase()}${id.slice(1)}`;
}

function derivedName({ method, success }: RouteDefinition, path: string): string {
  const segments = path.split('/');
  const last = segments.at(-1) ?? '';
  const nouns = nounsOf(segments);
  if (last.startsWith('{')) return `${verbs[method]}${nouns.join('')}`;
  if (method === 'GET') return `${isList(success) ? 'list' : 'get'}${nouns.join('')}`;
  if (method === 'PUT') return `replace${nouns.join('')}`;
  const owner = nouns.slice(0, -1).join('');
  if (success.status === 201 || segments.length === 1) return `create${owner}${pascal(singular(last))}`;
  const [verb = '', ...object] = last.split('-');
  return `${verb}${owner}${object.map(capitalised).join('')}`;
}

const verbs = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const;

/** Returns the word of each segment: singular before a parameter, and nothing for the parameter. */
function nounsOf(segments: readonly string[]): string[] {
  return segments.map((segment, at) => {
    if (segment.startsWith('{')) return '';
    return pascal(segments[at + 1]?.startsWith('{') ? singular(segment) : segment);
  });
}

function isList({ schema }: RouteDefinition['success']): boolean {
  return schema !== undefined && 'shape' in schema && Object.hasOwn(schema.shape as object, 'data');
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function pascal(words: string): string {
  return words.split('-').map(capitalised).join('');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
