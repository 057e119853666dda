import { clientRoutes, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findWebhook, listSigningKeys, type SigningKeyRow } from '@idsync/database/gateway';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LinkActs } from '../audit/link-acts.service.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { newSigningKey } from './signing-secret.js';

@Controller()
export class SigningKeysController {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly linkActs: LinkActs,
  ) {}

  @Handles(clientRoutes.createWebhookSigningKey)
  async create(
    {
      tenantId,
      body: { overlap_hours: overlapHours },
      id: webhookId,
    }: Input<typeof clientRoutes.createWebhookSigningKey>,
    @Req() request: FastifyRequest,
  ) {
    const created = await this.database.transaction(tenantId, async (tx) => {
      await this.linkActs.record(tx, request);
      return newSigningKey(tx, this.settings, { tenantId, webhookId, overlapHours });
    });
    return presentSigningKey(orNotFound(created));
  }

  @Handles(clientRoutes.listWebhookSigningKeys)
  async list({ tenantId, id: webhookId }: Input<typeof clientRoutes.listWebhookSigningKeys>) {
    const keys = await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return listSigningKeys(tx, tenantId, webhookId);
    });
    return { data: keys.map(presentSigningKey), total: keys.length };
  }
}

function presentSigningKey({ publicKey, createdAt, expiresAt }: SigningKeyRow): responses.SigningKey {
  return { public_key: publicKey, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() };
}
