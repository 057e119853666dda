import { adminRoutes, encodeId } from '@idsync/contracts';
import { deleteWebhook, listWebhookHealth, lockWebhook } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentWebhook } from '../present.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { changeWebhook, createWebhook } from './change-webhook.js';
import { presentWebhookHealth } from './present-delivery.js';
import { replay } from './request-replay.js';
import { requestTest, showWebhook } from './show-webhook.js';
import { rotateSigningSecret } from './signing-secret.js';

@Controller()
export class OperatorWebhooksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  @Handles(adminRoutes.listWebhooks)
  async list({ tenantId }: Input<typeof adminRoutes.listWebhooks>) {
    const rows = await this.tenants.run(tenantId, (tx) => listWebhookHealth(tx, tenantId));
    return { data: rows.map(presentWebhookHealth), total: rows.length };
  }

  @Handles(adminRoutes.getWebhook)
  async get({ tenantId, webhookId: id }: Input<typeof adminRoutes.getWebhook>) {
    return this.tenants.run(tenantId, (tx) => showWebhook(tx, tenantId, id));
  }

  /** As for connectors, the role is admin: a webhook sends data of people to an address. */
  @Handles(adminRoutes.createWebhook)
  async create({ tenantId, body }: Input<typeof adminRoutes.createWebhook>) {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const { webhook, secret } = await createWebhook(tx, this.settings, tenantId, body);
      const shown = presentWebhook(webhook);
      describe({ resource: encodeId('webhook', webhook.id), after: shown });
      return { ...shown, signing_secret: secret };
    });
  }

  @Handles(adminRoutes.updateWebhook)
  async update({ tenantId, body: patch, webhookId }: Input<typeof adminRoutes.updateWebhook>) {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const changed = await changeWebhook(tx, this.settings, { tenantId, webhookId, patch });
      const after = presentWebhook(changed.after);
      // Values of headers are not shown, so their change is visible only by the names of the fields.
      describe({ before: presentWebhook(changed.before), after: { ...after, set: Object.keys(patch) } });
      return after;
    });
  }

  @Handles(adminRoutes.deleteWebhook)
  async delete({ tenantId, webhookId }: Input<typeof adminRoutes.deleteWebhook>): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await lockWebhook(tx, tenantId, webhookId));
      await deleteWebhook(tx, tenantId, webhookId);
      describe({ before: presentWebhook(before) });
    });
  }

  @Handles(adminRoutes.testWebhook)
  async test({ tenantId, webhookId: id, body: { message } }: Input<typeof adminRoutes.testWebhook>) {
    return this.tenants.act(tenantId, (tx) => requestTest(tx, tenantId, id, { message }));
  }

  @Handles(adminRoutes.rotateWebhookSecret)
  async rotateSecret({
    tenantId,
    body: { overlap_hours: overlapHours },
    webhookId,
  }: Input<typeof adminRoutes.rotateWebhookSecret>) {
    return this.tenants.act(tenantId, async (tx) =>
      orNotFound(await rotateSigningSecret(tx, this.settings, { tenantId, webhookId, overlapHours })),
    );
  }

  @Handles(adminRoutes.requeueWebhook)
  async requeue({ tenantId, webhookId, body: { by } }: Input<typeof adminRoutes.requeueWebhook>) {
    const request = { webhookId, kind: 'requeue' as const, filter: {}, requestedBy: actorName(by) };
    return this.tenants.act(tenantId, async (tx) => orNotFound(await replay(tx, tenantId, request)));
  }

  @Handles(adminRoutes.replayWebhook)
  async replay({ tenantId, webhookId, body: { since, until, events, by } }: Input<typeof adminRoutes.replayWebhook>) {
    const filter = {
      since: since.toISOString(),
      ...(until && { until: until.toISOString() }),
      ...(events && { events }),
    };
    const request = { webhookId, kind: 'replay' as const, filter, requestedBy: actorName(by) };
    return this.tenants.act(tenantId, async (tx) => orNotFound(await replay(tx, tenantId, request)));
  }
}
