import { encodeId, type OperationInput, type OperationType, type responses, resultLists } from '@idsync/contracts';
import { Database, type Transaction } from '@idsync/database';
import { findOperation, type OperationRow, requestOperation } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { badRequest } from '../http/api-error.js';
import type { Progress } from '../http/may-take-longer.interceptor.js';
import { namePeople } from '../identities/name-people.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentOperation } from './present-operation.js';
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
  async request<T extends OperationType>(
    tenantId: string,
    type: T,
    input: OperationInput<T>,
  ): Promise<Progress<responses.Operation>> {
    const requested = await this.tenants.act(tenantId, async (tx, describe) => {
      const operation = await requestOperation(tx, type, input);
      describe({ created: shownOperation(operation) });
      return operation;
    });
    return this.finish(tenantId, requested);
  }

  /** Waits up to 10 s for the end of an operation, and presents it. */
  async finish(tenantId: string, requested: OperationRow): Promise<Progress<responses.Operation>> {
    const operation = await this.wait(tenantId, requested);
    return { finished: operation.status === 'done', body: await this.present(tenantId, operation) };
  }

  /** Waits up to 10 s for the end of an operation, or of the one that it confirms. Throws a 400 if the directory refused it. */
  async wait(tenantId: string, requested: OperationRow): Promise<OperationRow> {
    const operation = await waitFor(
      () => this.database.transaction(tenantId, (tx) => readResulting(tx, requested)),
      ({ status }) => status !== 'queued' && status !== 'running',
      waitMs,
    );
    if (operation.status === 'refused') throw badRequest(refusal(operation));
    return operation;
  }

  /** Presents an operation with the names of the people that it lists. */
  async present(tenantId: string, row: OperationRow): Promise<responses.Operation> {
    const operation = presentOperation(row);
    const { result } = operation;
    if (!result || !resultLists.some((list) => list in result)) return operation;
    return { ...operation, result: await this.tenants.run(tenantId, (tx) => namePeople(tx, result)) };
  }
}

/** Returns the operation, or the one that it has confirmed, because that one may be running still. */
async function readResulting(tx: Transaction, requested: OperationRow): Promise<OperationRow> {
  const operation = (await findOperation(tx, requested.id)) ?? requested;
  const confirmedId = operation.result?.confirmed_operation_id;
  const confirmed = typeof confirmedId === 'string' && (await findOperation(tx, confirmedId));
  return confirmed || operation;
}

/** Returns the field of a response that names the operation which completes the change. */
export function shownOperation(operation: OperationRow | undefined): { operation_id?: string } {
  return operation ? { operation_id: encodeId('operation', operation.id) } : {};
}

function refusal({ result }: OperationRow): string {
  return typeof result?.error === 'string' ? result.error : 'the operation was refused';
}
