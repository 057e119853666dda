import { randomBytes } from 'node:crypto';
import { newUuid } from '@idsync/contracts';
import { Database, encrypt } from '@idsync/database';
import { rotateWebhookSecret } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase, until } from '@idsync/testing';
import { type DeliverySettings, defaultSettings } from '../src/delivery/delivery-context.js';
import { DeliveryEngine } from '../src/delivery/delivery-engine.service.js';
import { type FannedOut, fanOutPart } from '../src/fan-out.js';
import { secretOpener } from '../src/open-secret.js';
import { defaultLimits, type HttpLimits, httpSender, type Sender } from '../src/sending/http-sender.js';

export interface DeliveryRow {
  id: string;
  sequence: number;
  status: string;
  attempts: number;
  tries: number;
  isRetry: boolean;
  dueInMs: number;
}

export interface AttemptRow {
  number: number;
  outcome: string | null;
  statusCode: number | null;
  error: string | null;
  responseBody: string | null;
}

const quick: Partial<DeliverySettings> = { pollMs: 50, retryMs: 50 };

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** A database with tenants, webhooks and events, and engines that deliver them to receivers on this machine. */
export class DispatcherFixture {
  readonly encryptionKey = randomBytes(32);
  private readonly running: { stop(): Promise<void> }[] = [];

  readonly database: Database;
  readonly directory: DirectoryFixture;

  private constructor(private readonly own: ServiceDatabase) {
    this.database = own.database;
    this.directory = own.fixture;
  }

  static async start(): Promise<DispatcherFixture> {
    return new DispatcherFixture(await ServiceDatabase.start('webhook-dispatcher'));
  }

  async close(): Promise<void> {
    await this.stopEngines();
    await this.own.close();
  }

  tenant(): Promise<string> {
    return this.directory.tenant();
  }

  async webhook(tenant: string, url: string, events: string[] = ['*'], active = true): Promise<string> {
    const id = newUuid();
    await this.directory.rows(
      'insert into webhooks (id, tenant_id, callback_url, events, active) values ($1, $2, $3, $4, $5)',
      [id, tenant, url, events, active],
    );
    await this.secret(tenant, id);
    return id;
  }

  /** Adds a signing secret to a webhook; the newest signs first. */
  async secret(tenant: string, webhookId: string): Promise<string> {
    const secret = newSecret();
    await this.directory.rows(
      'insert into webhook_secrets (id, tenant_id, webhook_id, ciphertext) values ($1, $2, $3, $4)',
      [newUuid(), tenant, webhookId, encrypt(secret, this.encryptionKey, tenant)],
    );
    return secret;
  }

  /** Stores additional headers of a webhook, as the gateway does it. */
  async headers(tenant: string, webhookId: string, headers: Record<string, string>): Promise<void> {
    await this.directory.rows('insert into webhook_headers (webhook_id, tenant_id, ciphertext) values ($1, $2, $3)', [
      webhookId,
      tenant,
      encrypt(JSON.stringify(headers), this.encryptionKey, tenant),
    ]);
  }

  /** Rotates the secret without an overlap, as the gateway does it. Returns the new secret. */
  async rotateNow(tenant: string, webhookId: string): Promise<string> {
    const secret = newSecret();
    const encrypted = encrypt(secret, this.encryptionKey, tenant);
    const gateway = await Database.connect({ url: this.own.url, service: 'gateway' });
    await gateway.transaction(tenant, (tx) => rotateWebhookSecret(tx, webhookId, encrypted, 0));
    await gateway.close();
    return secret;
  }

  /** Inserts events of these types. Returns their sequence range. */
  async insertEvents(tenant: string, types: string[], details: object = {}): Promise<{ first: number; last: number }> {
    const [sequence] = await this.directory.rows<{ last: number }>(
      'update event_sequences set last = last + $2 where tenant_id = $1 returning last::int',
      [tenant, types.length],
    );
    const last = sequence?.last ?? 0;
    const first = last - types.length + 1;
    await this.directory.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, $2 + place - 1, gen_random_uuid(), type, now(), $4
         from unnest($3::text[]) with ordinality as e (type, place)`,
      [tenant, first, types, JSON.stringify(details)],
    );
    return { first, last };
  }

  /** Fans out all pending events. Returns the lowest new sequence of each webhook. */
  async fanOut(tenant: string): Promise<FannedOut> {
    const all: FannedOut = new Map();
    for (let more = true; more; ) {
      const part = await fanOutPart(this.database, tenant);
      for (const [webhookId, first] of part.found) if (!all.has(webhookId)) all.set(webhookId, first);
      more = part.more;
    }
    return all;
  }

  /** Inserts events, fans them out and wakes the engine. */
  async publish(engine: DeliveryEngine, tenant: string, types: string[], details: object = {}): Promise<void> {
    await this.insertEvents(tenant, types, details);
    engine.wake(await this.fanOut(tenant));
  }

  engine(
    settings: Partial<DeliverySettings> = {},
    { sender, limits = {}, polls = true }: { sender?: Sender; limits?: Partial<HttpLimits>; polls?: boolean } = {},
  ): DeliveryEngine {
    const out = sender ?? httpSender({ allowedCidrs: ['127.0.0.0/8'], limits: { ...defaultLimits, ...limits } });
    const engine = new DeliveryEngine({
      database: this.database,
      sender: out,
      settings: { ...defaultSettings, ...quick, ...settings },
      openSecret: secretOpener([this.encryptionKey]),
      log: silentLogger,
    });
    if (polls) engine.start();
    this.running.push({ stop: () => engine.stop().then(() => out.close()) });
    return engine;
  }

  async stopEngines(): Promise<void> {
    for (const engine of this.running.splice(0)) await engine.stop();
  }

  deliveries(webhookId: string): Promise<DeliveryRow[]> {
    return this.directory.rows<DeliveryRow>(
      `select id, event_sequence::int as sequence, status, attempts, tries, is_retry as "isRetry",
              (extract(epoch from due_at - now()) * 1000)::int as "dueInMs"
         from webhook_deliveries where webhook_id = $1 order by event_sequence`,
      [webhookId],
    );
  }

  attempts(deliveryId: string): Promise<AttemptRow[]> {
    return this.directory.rows<AttemptRow>(
      `select number, outcome, status_code as "statusCode", error, response_body as "responseBody"
         from webhook_attempts where delivery_id = $1 order by number`,
      [deliveryId],
    );
  }

  /** Waits until the deliveries of the webhook fulfil the condition. */
  async until(webhookId: string, what: (rows: DeliveryRow[]) => boolean): Promise<DeliveryRow[]> {
    let rows: DeliveryRow[] = [];
    const read = async () => {
      rows = await this.deliveries(webhookId);
      return what(rows) && rows;
    };
    return until(read, () => ({ [`deliveries with ${what}`]: rows.slice(0, 5) }));
  }
}

export const all = (status: string) => (rows: DeliveryRow[]) =>
  rows.length > 0 && rows.every((row) => row.status === status);
