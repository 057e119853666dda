import { adminRoutes, clientRoutes, encodeId, requests, type responses } from '@idsync/contracts';
import { recordEvents } from '@idsync/database/bus';
import {
  deleteWebhook,
  findAttemptStatistics,
  findLastFailure,
  findWebhook,
  findWebhookHealth,
  listSigningKeys,
  listWebhookHealth,
  listWebhooks,
  lockWebhook,
  markTested,
  type SigningKeyRow,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import type { OperatorCaller, Subscriber } from '../access/caller.js';
import { currentCaller } from '../audit/request-context.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { changeWebhook, createWebhook } from './change-webhook.js';
import { presentLinkCaller } from './portal-link.js';
import { presentWebhook, presentWebhookDetails, presentWebhookHealth } from './present-webhook.js';
import { inactiveWebhook, replay } from './request-replay.js';
import { newSigningKey, rotateSigningSecret } from './signing-secret.js';

/** As for connectors, operators who write need the role admin: a webhook sends data of people to an address. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  @Handles(clientRoutes.createWebhook, adminRoutes.createWebhook)
  create({ tenantId, body }: Input<typeof adminRoutes.createWebhook>) {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const { webhook, secret } = await createWebhook(tx, this.settings, tenantId, body);
      const shown = presentWebhook(webhook);
      describe({ resource: shown.id, after: shown });
      return { ...shown, signing_secret: secret };
    });
  }

  @Handles(clientRoutes.listWebhooks)
  async list({ tenantId }: Input<typeof clientRoutes.listWebhooks>) {
    const caller = currentCaller();
    const all = await this.tenants.run(tenantId, (tx) => listWebhooks(tx));
    if (caller.access !== 'portal-link') return { data: all.map(presentWebhook), total: all.length };
    const shown = all.filter(({ id }) => caller.webhookIds.has(id));
    return { data: shown.map(presentWebhook), total: shown.length, portal: presentLinkCaller(caller) };
  }

  @Handles(adminRoutes.listWebhooks)
  async listHealth({ tenantId }: Input<typeof adminRoutes.listWebhooks>) {
    const rows = await this.tenants.run(tenantId, (tx) => listWebhookHealth(tx));
    return { data: rows.map(presentWebhookHealth), total: rows.length };
  }

  @Handles(clientRoutes.getWebhook, adminRoutes.getWebhook)
  get({ tenantId, webhookId }: Input<typeof adminRoutes.getWebhook>) {
    return this.tenants.run(tenantId, async (tx) => {
      const health = orNotFound(await findWebhookHealth(tx, webhookId));
      const failure = await findLastFailure(tx, webhookId);
      return presentWebhookDetails(health, failure, await findAttemptStatistics(tx, webhookId));
    });
  }

  @Handles(clientRoutes.updateWebhook, adminRoutes.updateWebhook)
  update({ tenantId, body: patch, webhookId }: Input<typeof adminRoutes.updateWebhook>) {
    const keyId = keyOf(currentCaller());
    return this.tenants.act(tenantId, async (tx, describe) => {
      const changed = await changeWebhook(tx, this.settings, { tenantId, webhookId, patch, keyId });
      const after = presentWebhook(changed.after);
      // Values of headers are not shown, so their change is visible only by the names of the fields.
      describe({ before: presentWebhook(changed.before), after: { ...after, set: Object.keys(patch) } });
      return after;
    });
  }

  @Handles(clientRoutes.deleteWebhook, adminRoutes.deleteWebhook)
  async delete({ tenantId, webhookId }: Input<typeof adminRoutes.deleteWebhook>): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await lockWebhook(tx, webhookId));
      await deleteWebhook(tx, webhookId);
      describe({ before: presentWebhook(before) });
    });
  }

  /** Records a test event. Clients may test a webhook once within an interval. */
  @Handles(clientRoutes.testWebhook, adminRoutes.testWebhook)
  test({ tenantId, webhookId, body: { message } }: Input<typeof adminRoutes.testWebhook>) {
    const seconds = requests.testIntervalSeconds;
    return this.tenants.act(tenantId, async (tx) => {
      const webhook = orNotFound(await lockWebhook(tx, webhookId));
      if (!webhook.active) throw inactiveWebhook();
      if (currentCaller().access !== 'operator' && !(await markTested(tx, webhookId, seconds)))
        throw new ApiError(429, `a webhook can be tested once every ${seconds} s`, seconds);
      const details = { webhook_id: encodeId('webhook', webhookId), message };
      const [eventId = ''] = await recordEvents(tx, [{ type: 'webhook.test', subjectId: webhookId, details }]);
      return { event_id: encodeId('event', eventId) };
    });
  }

  @Handles(clientRoutes.rotateWebhookSecret, adminRoutes.rotateWebhookSecret)
  rotateSecret({ tenantId, body, webhookId }: Input<typeof adminRoutes.rotateWebhookSecret>) {
    const rotation = { tenantId, webhookId, overlapHours: body.overlap_hours };
    return this.tenants.act(tenantId, (tx) => rotateSigningSecret(tx, this.settings, rotation));
  }

  @Handles(clientRoutes.createWebhookSigningKey)
  async createSigningKey({ tenantId, body, webhookId }: Input<typeof clientRoutes.createWebhookSigningKey>) {
    const rotation = { tenantId, webhookId, overlapHours: body.overlap_hours };
    return presentSigningKey(await this.tenants.act(tenantId, (tx) => newSigningKey(tx, this.settings, rotation)));
  }

  @Handles(clientRoutes.listWebhookSigningKeys)
  async listSigningKeys({ tenantId, webhookId }: Input<typeof clientRoutes.listWebhookSigningKeys>) {
    const keys = await this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, webhookId));
      return listSigningKeys(tx, webhookId);
    });
    return { data: keys.map(presentSigningKey), total: keys.length };
  }

  @Handles(clientRoutes.requeueWebhook, adminRoutes.requeueWebhook)
  requeue({ tenantId, webhookId, body }: { tenantId: string; webhookId: string; body: { by?: string } }) {
    const request = { webhookId, kind: 'requeue' as const, filter: {}, by: body.by };
    return this.tenants.act(tenantId, (tx) => replay(tx, request));
  }

  @Handles(adminRoutes.replayWebhook)
  replay({ tenantId, webhookId, body: { since, until, events, by } }: Input<typeof adminRoutes.replayWebhook>) {
    const filter = {
      since: since.toISOString(),
      ...(until && { until: until.toISOString() }),
      ...(events && { events }),
    };
    const request = { webhookId, kind: 'replay' as const, filter, by };
    return this.tenants.act(tenantId, (tx) => replay(tx, request));
  }
}

/** Returns the key of a client, or the one that issued its portal link; undefined for an operator. */
function keyOf(caller: Subscriber | OperatorCaller): string | undefined {
  if (caller.access === 'operator') return undefined;
  return caller.access === 'key' ? caller.keyId : caller.issuedBy;
}

function presentSigningKey({ publicKey, createdAt, expiresAt }: SigningKeyRow): responses.SigningKey {
  return { public_key: publicKey, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() };
}
