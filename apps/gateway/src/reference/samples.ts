import { exampleOf } from './example-of.js';
import type { OpenApiDocument, Operation } from './openapi-document.js';

export interface Sample {
  language: 'curl' | 'TypeScript';
  code: string;
}

/** Programs with the methods of `@idsync/client`; every other public route is called by `http`. */
const methods: Readonly<Record<string, string>> = {
  listIdentities:
    "for await (const identity of idsync.identities.list({ status: 'active' })) {\n  console.log(identity.id);\n}",
  getIdentity: "const identity = await idsync.identities.get('idn_…');",
  listIdentityHistory:
    "for await (const change of idsync.identities.history('idn_…')) {\n  console.log(change.event_type);\n}",
  listUsers:
    "for await (const user of idsync.users.list({ email: 'ann.lee@example.com' })) {\n  console.log(user.id);\n}",
  getUser: "const user = await idsync.users.get('usr_…');",
  triggerSync:
    "const { job_id } = await idsync.sync.trigger({ connector_id: 'con_…' });\nconst job = await idsync.sync.wait(job_id);",
  getSyncJob: "const job = await idsync.sync.get('job_…');",
  createWebhook:
    "const webhook = await idsync.webhooks.create({\n  callback_url: 'https://example.com/webhooks',\n  events: ['user.*'],\n});",
  listWebhooks: 'const webhooks = await idsync.webhooks.list();',
  updateWebhook: "const webhook = await idsync.webhooks.update('whk_…', { active: true });",
  deleteWebhook: "await idsync.webhooks.delete('whk_…');",
  rotateWebhookSecret: "const secret = await idsync.webhooks.rotateSecret('whk_…');",
  listEvents: 'for await (const event of idsync.events({ after: 0 })) {\n  console.log(event.sequence, event.type);\n}',
};

/** Returns the request as a shell command and, on public routes, as a TypeScript program. */
export function samplesOf(
  method: string,
  path: string,
  operation: Operation,
  components: OpenApiDocument['components'],
): Sample[] {
  const curl: Sample = { language: 'curl', code: curlOf(method, path, operation, components) };
  if (!path.startsWith('/v1/')) return [curl];
  return [
    curl,
    { language: 'TypeScript', code: methods[operation.operationId] ?? httpOf(method, path, operation, components) },
  ];
}

/** How the client of the programs is made. */
export const clientSetup = `import { IdsyncClient } from '@idsync/client';

const idsync = new IdsyncClient({
  baseUrl: 'https://idsync.example.com',
  apiKey: process.env.IDSYNC_API_KEY ?? '',
});`;

function curlOf(method: string, path: string, operation: Operation, components: OpenApiDocument['components']): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'tenantId' ? '$IDSYNC_TENANT' : idFor(name, path),
  );
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$IDSYNC_URL${filled}"`];
  const [scheme] = (operation.security ?? []).flatMap((each) => Object.keys(each));
  if (scheme === 'apiKey') lines.push('-H "X-API-Key: $IDSYNC_API_KEY"');
  if (scheme === 'operator') lines.push('-H "Authorization: Bearer $ADMIN_TOKEN"');
  const body = bodyOf(operation, components);
  if (body) lines.push(`-H 'content-type: application/json'`, `-d '${body.replaceAll("'", `'\\''`)}'`);
  return lines.join(' \\\n  ');
}

/** Returns an example of the request body as JSON text. */
function bodyOf({ requestBody }: Operation, components: OpenApiDocument['components']): string | undefined {
  const content = requestBody?.content['application/json'];
  return content && JSON.stringify(content.example ?? exampleOf(content.schema, components), null, 2);
}

function httpOf(method: string, path: string, operation: Operation, components: OpenApiDocument['components']): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${name}: '${idFor(name, path)}'`);
  const body = bodyOf(operation, components)
    ?.replaceAll(/^( +)"(\w+)":/gm, '$1$2:')
    .replaceAll('\n', '\n  ');
  const options = [
    ...(ids.length > 0 ? [`  params: { path: { ${ids.join(', ')} } },\n`] : []),
    ...(body ? [`  body: ${body},\n`] : []),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('')}}`;
  return `const { data, error } = await idsync.http.${method.toUpperCase()}('${path}'${given});`;
}

const prefixes: Readonly<Record<string, string>> = {
  identities: 'idn',
  users: 'usr',
  accounts: 'acc',
  'machine-identities': 'mid',
  jobs: 'job',
  'sync-jobs': 'job',
  webhooks: 'whk',
  connectors: 'con',
  'deleted-connectors': 'con',
  'api-keys': 'key',
  cases: 'cas',
  findings: 'fnd',
  operations: 'opn',
  deliveries: 'dlv',
  replays: 'rpl',
  suppressions: 'sup',
  groups: 'grp',
  probes: 'prb',
  tokens: 'key',
  tenants: 'ten',
};

/** An id with the prefix of its resource, or the external id of a source. */
function idFor(name: string, path: string): string {
  const list = new RegExp(`/([\\w-]+)/\\{${name}\\}`).exec(path)?.[1] ?? '';
  const prefix = prefixes[list];
  return prefix === undefined ? '1007' : `${prefix}_…`;
}
