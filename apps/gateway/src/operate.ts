import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationInput, OperationType } from '@idsync/contracts';
import { type Database, findOperation, findTenant, type OperationRow, requestOperation } from '@idsync/database';
import type { FastifyReply } from 'fastify';
import { badRequest, notFound } from './api-error.js';
import { presentOperation } from './present.js';

const patienceMs = 10_000;
const longestPauseMs = 250;

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
  let operation = await database.transaction(tenantId, async (tx) => {
    if (!(await findTenant(tx, tenantId))) throw notFound();
    return requestOperation(tx, tenantId, type, input);
  });
  const until = Date.now() + patienceMs;
  for (
    let pause = 10;
    operation.status === 'queued' && Date.now() < until;
    pause = Math.min(2 * pause, longestPauseMs)
  ) {
    await sleep(pause);
    operation = (await database.transaction(tenantId, (tx) => findOperation(tx, tenantId, operation.id))) ?? operation;
  }
  if (operation.status === 'refused') throw badRequest(refusal(operation));
  reply.status(operation.status === 'done' ? 200 : 202);
  return presentOperation(operation);
}

function refusal({ result }: OperationRow): string {
  return typeof result?.error === 'string' ? result.error : 'the operation was refused';
}
