import { requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findWebhook, listSigningKeys, type SigningKeyRow } from '@idsync/database/gateway';
import { Controller, Get, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { LinkActs } from '../audit/link-acts.service.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { newSigningKey } from '../shared/signing-secret.js';

@Controller('v1/webhooks/:id/signing-keys')
@Access('key')
export class SigningKeysController {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly linkActs: LinkActs,
  ) {}

  @Post()
  async create(
    @Req() request: FastifyRequest,
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.rotateBody) { overlap_hours: overlapHours }: z.infer<typeof requests.rotateBody>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const created = await this.database.transaction(tenantId, async (tx) => {
      await this.linkActs.record(tx, request);
      return newSigningKey(tx, this.settings, { tenantId, webhookId, overlapHours });
    });
    return presentSigningKey(orNotFound(created));
  }

  @Get()
  async list(@CurrentTenant() tenantId: string, @PublicId('webhook') webhookId: string): Promise<object> {
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
