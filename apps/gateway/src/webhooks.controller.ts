import { randomBytes } from 'node:crypto';
import { requests } from '@idsync/contracts';
import {
  Database,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  mostWebhooks,
  rotateWebhookSecret,
  seal,
  updateWebhook,
} from '@idsync/database';
import { vetUrl } from '@idsync/runtime';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { badRequest, notFound } from './api-error.js';
import { callerOf } from './authenticate.js';
import { uuidOf } from './directory.controller.js';
import { GatewaySettings } from './gateway-settings.js';
import { presentWebhook } from './present.js';
import { validate } from './validate.js';

/** How long the old secret signs beside the new one. */
const overlapHours = 24;

@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(GatewaySettings) private readonly settings: GatewaySettings,
  ) {}

  @Post()
  @HttpCode(201)
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<object> {
    const { callback_url: callbackUrl, events } = validate(requests.webhookBody, body);
    this.refuseBlocked(callbackUrl);
    const { tenantId } = callerOf(request);
    const { secret, sealedSecret } = this.newSecret(tenantId);
    const webhook = await this.database.transaction(tenantId, (tx) =>
      insertWebhook(tx, tenantId, { callbackUrl, events, sealedSecret }),
    );
    if (!webhook) throw badRequest(`a tenant has ${mostWebhooks} webhooks at the most`);
    return { ...presentWebhook(webhook), signing_secret: secret };
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const { tenantId } = callerOf(request);
    const webhooks = await this.database.transaction(tenantId, (tx) => listWebhooks(tx, tenantId));
    return { data: webhooks.map(presentWebhook), total: webhooks.length };
  }

  @Patch(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<object> {
    const { tenantId } = callerOf(request);
    const webhookId = uuidOf('webhook', id);
    const { callback_url: callbackUrl, events, active } = validate(requests.webhookPatch, body);
    if (callbackUrl !== undefined) this.refuseBlocked(callbackUrl);
    const webhook = await this.database.transaction(tenantId, (tx) =>
      updateWebhook(tx, tenantId, webhookId, { callbackUrl, events, active }),
    );
    if (!webhook) throw notFound();
    return presentWebhook(webhook);
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    const { tenantId } = callerOf(request);
    const webhookId = uuidOf('webhook', id);
    const found = await this.database.transaction(tenantId, (tx) => deleteWebhook(tx, tenantId, webhookId));
    if (!found) throw notFound();
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  async rotate(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const { tenantId } = callerOf(request);
    const webhookId = uuidOf('webhook', id);
    const { secret, sealedSecret } = this.newSecret(tenantId);
    const found = await this.database.transaction(tenantId, (tx) =>
      rotateWebhookSecret(tx, tenantId, webhookId, sealedSecret, overlapHours),
    );
    if (!found) throw notFound();
    return { signing_secret: secret };
  }

  /** Only what the text itself tells: what a name leads to is looked at whenever it is called. */
  private refuseBlocked(callbackUrl: string): void {
    const reason = vetUrl(new URL(callbackUrl), this.settings.vet);
    if (reason !== undefined) throw badRequest(`callback_url cannot be called: ${reason}`);
  }

  /** Standard Webhooks' form; sealed for its tenant before it touches the database. */
  private newSecret(tenantId: string): { secret: string; sealedSecret: Buffer } {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    return { secret, sealedSecret: seal(secret, this.settings.encryptionKeys[0], tenantId) };
  }
}
