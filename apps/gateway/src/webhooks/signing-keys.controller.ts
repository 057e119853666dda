import { clientRoutes, type responses } from '@idsync/contracts';
import { findWebhook, listSigningKeys, type SigningKeyRow } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { newSigningKey } from './signing-secret.js';

@Controller()
export class SigningKeysController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  @Handles(clientRoutes.createWebhookSigningKey)
  async create({ tenantId, body, webhookId }: Input<typeof clientRoutes.createWebhookSigningKey>) {
    const rotation = { tenantId, webhookId, overlapHours: body.overlap_hours };
    return presentSigningKey(await this.tenants.act(tenantId, (tx) => newSigningKey(tx, this.settings, rotation)));
  }

  @Handles(clientRoutes.listWebhookSigningKeys)
  async list({ tenantId, webhookId }: Input<typeof clientRoutes.listWebhookSigningKeys>) {
    const keys = await this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return listSigningKeys(tx, tenantId, webhookId);
    });
    return { data: keys.map(presentSigningKey), total: keys.length };
  }
}

function presentSigningKey({ publicKey, createdAt, expiresAt }: SigningKeyRow): responses.SigningKey {
  return { public_key: publicKey, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() };
}
