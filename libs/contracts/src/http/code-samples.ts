/** How the client of the samples is made. */
export const clientSetup = `import { IdsyncClient } from '@idsync/client';

const idsync = new IdsyncClient({
  baseUrl: 'https://idsync.example.com',
  apiKey: process.env.IDSYNC_API_KEY ?? '',
});`;

const each = (item: string, list: string, shown = `${item}.id`) =>
  `for await (const ${item} of idsync.${list}) {\n  console.log(${shown});\n}`;

/** TypeScript for each public operation. The viewer writes curl itself. */
const samples: Readonly<Record<string, string>> = {
  getHealth: "const { data } = await idsync.http.GET('/v1/health');",
  listIdentities: each('identity', "identities.list({ status: 'active' })"),
  getIdentity: "const identity = await idsync.identities.get('idn_…');",
  listIdentityHistory: each('change', "identities.history('idn_…')", 'change.event_type'),
  listUsers: each('user', "users.list({ email: 'ann.lee@example.com' })"),
  getUser: "const user = await idsync.users.get('usr_…');",
  listAccounts: each('account', 'accounts.list({ matched: false })'),
  getAccount: "const account = await idsync.accounts.get('acc_…');",
  listMachineIdentities: each('machine', 'machineIdentities.list()'),
  getMachineIdentity: "const machine = await idsync.machineIdentities.get('mid_…');",
  listGroups: each('group', 'groups.list()'),
  getGroup: "const group = await idsync.groups.get('grp_…');",
  listGroupMembers: each('user', "groups.members('grp_…')"),
  listConnectors: 'const connectors = await idsync.connectors.list();',
  triggerSync:
    "const { job_id } = await idsync.sync.trigger({ connector_id: 'con_…' });\nconst job = await idsync.sync.wait(job_id);",
  getSyncJob: "const job = await idsync.sync.get('job_…');",
  createWebhook:
    "const webhook = await idsync.webhooks.create({\n  callback_url: 'https://example.com/webhooks',\n  events: ['user.*'],\n});",
  listWebhooks: 'const webhooks = await idsync.webhooks.list();',
  getWebhook: "const webhook = await idsync.webhooks.get('whk_…');",
  updateWebhook: "const webhook = await idsync.webhooks.update('whk_…', { active: true });",
  deleteWebhook: "await idsync.webhooks.delete('whk_…');",
  rotateWebhookSecret: "const secret = await idsync.webhooks.rotateSecret('whk_…');",
  testWebhook: "const test = await idsync.webhooks.test('whk_…');",
  listWebhookDeliveries: each('delivery', "webhooks.deliveries('whk_…')", 'delivery.id, delivery.status'),
  getWebhookDelivery: "const delivery = await idsync.webhooks.delivery('whk_…', 'dlv_…');",
  resendWebhookDelivery: "const replay = await idsync.webhooks.resend('whk_…', 'dlv_…');",
  requeueWebhook: "const replay = await idsync.webhooks.requeue('whk_…');",
  getWebhookReplay: "const replay = await idsync.webhooks.replay('whk_…', 'rpl_…');",
  createWebhookSigningKey: "const key = await idsync.webhooks.createSigningKey('whk_…');",
  listWebhookSigningKeys: "const keys = await idsync.webhooks.signingKeys('whk_…');",
  createPortalLink:
    "const { data } = await idsync.http.POST('/v1/portal-links', {\n  body: { webhook_ids: ['whk_…'], access: 'read' },\n});",
  revokeWebhookPortalLinks:
    "await idsync.http.DELETE('/v1/webhooks/{id}/portal-links', { params: { path: { id: 'whk_…' } } });",
  listEvents: each('event', 'events({ after: 0 })', 'event.sequence, event.type'),
};

/** Returns the samples of an operation in the form that viewers of OpenAPI documents read. */
export function codeSamplesOf(operationId: string): { 'x-codeSamples'?: object[] } {
  const source = samples[operationId];
  return source === undefined ? {} : { 'x-codeSamples': [{ lang: 'typescript', label: 'TypeScript', source }] };
}
