import type { OperationInput, OperationType } from '@idsync/contracts';
import { type Database, findOperation, findTenant, type OperationRow, requestOperation } from '@idsync/database';
import type { FastifyReply } from 'fastify';
import { badRequest, notFound } from './api-error.js';
import { presentOperation } from './present.js';
import { waitFor } from './wait-for.js';

const patienceMs = 10_000;

/**
 * Asks the directory to do something and waits a while for it: 200 with what it did, 400 if it refused, 202 if it is still
 * at it or not running; the operation can be looked up.
 */
export async function operate<T extends OperationType>(
  database: Database,
  reply: FastifyReply,
  tenantId: string,
  type: T,
  input: OperationInput<T>,
): Promise<object> {
  const asked = await database.transaction(tenantId, async (tx) => {
    if (!(await findTenant(tx, tenantId))) throw notFound();
    return requestOperation(tx, tenantId, type, input);
  });
  const operation = await waitFor(
    async () => (await database.transaction(tenantId, (tx) => findOperation(tx, tenantId, asked.id))) ?? asked,
    ({ status }) => status !== 'queued',
    patienceMs,
  );
  if (operation.status === 'refused') throw badRequest(refusal(operation));
  reply.status(operation.status === 'done' ? 200 : 202);
  return presentOperation(operation);
}

function refusal({ result }: OperationRow): string {
  return typeof result?.error === 'string' ? result.error : 'the operation was refused';
}
