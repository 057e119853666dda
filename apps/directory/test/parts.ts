import { newUuid, type OperationInput, type OperationType } from '@idsync/contracts';
import { jest } from '@jest/globals';
import type { Harness } from './harness.js';

/** An operation whose message is not delivered yet. */
export interface Requested {
  id: string;
  tenant_id: string;
  data: { operation_id: string };
}

export interface StoredOperation {
  status: string;
  result: Record<string, unknown>;
  progress: { done: number; total: number };
}

export async function requestOperation<T extends OperationType>(
  { fixture, tenant }: Harness,
  type: T,
  input: OperationInput<T>,
): Promise<Requested> {
  const id = newUuid();
  await fixture.rows('insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4)', [
    id,
    tenant,
    type,
    JSON.stringify(input),
  ]);
  return { id: newUuid(), tenant_id: tenant, data: { operation_id: id } };
}

export async function storedOperation({ fixture }: Harness, { data }: Requested): Promise<StoredOperation> {
  const [found] = await fixture.rows<StoredOperation>('select status, result, progress from operations where id = $1', [
    data.operation_id,
  ]);
  if (!found) throw new Error('the operation does not exist');
  return found;
}

/** Runs `work` once when the parts of more records than these are made. */
export function betweenParts(harness: Harness, requested: Requested, work: () => Promise<unknown>, records = 0): void {
  const { database } = harness;
  const transaction = database.transaction.bind(database);
  let done = false;
  jest.spyOn(database, 'transaction').mockImplementation(async (tenant, run) => {
    if (!done && ((await storedOperation(harness, requested)).progress?.done ?? 0) > records) {
      done = true;
      await work();
    }
    return transaction(tenant, run);
  });
}
