import type { OperationInput, OperationType } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findOperation, type OperationRow, requestOperation } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { badRequest } from '../http/api-error.js';
import type { Progress } from '../http/may-take-longer.interceptor.js';
import { presentOperation } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';
import { waitFor } from './wait-for.js';

const waitMs = 10_000;

/** Requests operations, which the directory executes. */
@Injectable()
export class Operations {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  /** Requests an operation and waits up to 10 s for its end. Throws a 400 if the directory refused it. */
  async request<T extends OperationType>(tenantId: string, type: T, input: OperationInput<T>): Promise<Progress> {
    const requested = await this.tenants.run(tenantId, (tx) => requestOperation(tx, tenantId, type, input));
    const operation = await waitFor(
      async () =>
        (await this.database.transaction(tenantId, (tx) => findOperation(tx, tenantId, requested.id))) ?? requested,
      ({ status }) => status !== 'queued',
      waitMs,
    );
    if (operation.status === 'refused') throw badRequest(refusal(operation));
    return { finished: operation.status === 'done', body: presentOperation(operation) };
  }
}

function refusal({ result }: OperationRow): string {
  return typeof result?.error === 'string' ? result.error : 'the operation was refused';
}
