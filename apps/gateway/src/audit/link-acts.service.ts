import type { Transaction } from '@idsync/database';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuditLog } from './audit-log.service.js';
import { describeAct } from './describe-act.js';

/** Records the acts of holders of portal links: they are people that the client does not know by name. */
@Injectable()
export class LinkActs {
  constructor(private readonly audit: AuditLog) {}

  /** Belongs into the transaction of the act. Acts with an API key are not recorded. */
  async record(tx: Transaction, request: FastifyRequest): Promise<void> {
    const { caller } = request;
    if (caller?.access === 'portal-link') await this.audit.append(tx, caller.tenantId, describeAct(request, {}));
  }
}
