import { decodeId, installationId, observedActions } from '@idsync/contracts';
import { Database, isUnavailable, type Transaction } from '@idsync/database';
import {
  type AuditActor,
  type AuditInput,
  appendAudit,
  findOperatorPolicy,
  findTenant,
} from '@idsync/database/gateway';
import { Logger } from '@idsync/runtime';
import { HttpException, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../http/api-error.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { describeAct, describeRead, describeRefusal } from './describe-act.js';

/** Refused acts of one actor that are recorded in a minute. */
const refusalsPerMinute = 300;

/** Writes entries of the audit log. */
@Injectable()
export class AuditLog {
  private readonly refusals = new RateLimiterMemory({ points: refusalsPerMinute, duration: 60 });

  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly logger: Logger,
  ) {}

  /** Appends an entry in the transaction of its act. Must be the last statement, because it locks the chain. */
  async append(tx: Transaction, chain: string, input: AuditInput): Promise<void> {
    await appendAudit(tx, chain, input, this.settings.encryptionKeys);
  }

  /** Appends an entry in its own transaction. */
  async record(chain: string, input: AuditInput): Promise<void> {
    await this.database.transaction(chain, (tx) => this.append(tx, chain, input));
  }

  /** Records an act that writes nothing. */
  async recordAct(request: FastifyRequest): Promise<void> {
    await this.record(await this.chainOf(request), describeAct(request, {}));
  }

  /** Records a refused act. A failure is logged, so that the caller still receives the refusal. */
  async recordRefusal(request: FastifyRequest, error: unknown): Promise<void> {
    const refusal = refusalOf(error);
    const beyond = refusal && (await this.beyondLimit(request));
    if (!refusal || (beyond !== undefined && beyond > 1)) return;
    const text = beyond === 1 ? `${refusal.text}; further refusals of this minute are not recorded` : refusal.text;
    try {
      await this.record(await this.chainOf(request), describeRefusal(request, refusal.status, text));
      request.audited = true;
    } catch (err) {
      if (!isUnavailable(err)) this.logger.warn({ err }, 'recording a refused act failed');
    }
  }

  /** Records the refusal of a person that an identity provider has authenticated. */
  async recordRefusedSignIn({ ip, id }: FastifyRequest, actor: AuditActor, error: string): Promise<void> {
    const isBeyond = await this.refusals.consume(actor.id ?? actor.name).then(
      () => false,
      () => true,
    );
    if (isBeyond) return;
    const action = observedActions.signInFailed;
    await this.record(installationId, {
      actor,
      address: ip,
      request_id: id,
      action,
      outcome: 'refused',
      status: 403,
      error,
    });
  }

  /** Number of refusals of this actor beyond the limit: a token that may do nothing must not fill the log. */
  private async beyondLimit({ caller }: FastifyRequest): Promise<number | undefined> {
    const actor = caller?.access === 'operator' ? caller.actor : undefined;
    try {
      await this.refusals.consume(actor?.id ?? actor?.name ?? 'anonymous');
      return undefined;
    } catch (refused) {
      return (refused as RateLimiterRes).consumedPoints - refusalsPerMinute;
    }
  }

  /** Records a read of data of people, if the tenant wants it. */
  async recordRead(request: FastifyRequest): Promise<void> {
    const tenantId = tenantIn(request);
    if (tenantId === undefined) return;
    await this.database.transaction(tenantId, async (tx) => {
      const { log_reads } = await findOperatorPolicy(tx);
      if (log_reads) await this.append(tx, tenantId, describeRead(request));
    });
  }

  /** The chain of the tenant in the path if it exists, so that invented ids start no chains. */
  private async chainOf(request: FastifyRequest): Promise<string> {
    const tenantId = tenantIn(request);
    if (tenantId === undefined) return installationId;
    const tenant = await this.database.readTransaction(tenantId, (tx) => findTenant(tx, tenantId));
    return tenant?.id ?? installationId;
  }
}

function tenantIn({ params }: FastifyRequest): string | undefined {
  const { tenantId } = (params ?? {}) as { tenantId?: string };
  return tenantId === undefined ? undefined : decodeId('tenant', tenantId);
}

/** A failure of the service is no refusal. */
function refusalOf(error: unknown): { status: number; text: string } | undefined {
  if (error instanceof ApiError && error.status < 500) return { status: error.status, text: error.message };
  if (error instanceof HttpException && error.getStatus() < 500)
    return { status: error.getStatus(), text: error.message };
  return undefined;
}
