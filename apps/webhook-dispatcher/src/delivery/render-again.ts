import { thinBody } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import {
  type ClaimedDelivery,
  findEventBodies,
  lockPayloadsForRendering,
  savePayloads,
} from '@idsync/database/delivery';

/**
 * Returns the body to send. An erasure deletes rendered bodies; a body rendered afterwards contains nothing of the
 * person.
 */
export async function bodyOf(
  database: Database,
  delivery: ClaimedDelivery,
): Promise<{ eventId: string; body: string }> {
  const { eventId, body } = await fullBodyOf(database, delivery);
  return { eventId, body: delivery.thin ? thinBody(body) : body };
}

async function fullBodyOf(
  database: Database,
  { tenantId, sequence, eventId, body }: ClaimedDelivery,
): Promise<{ eventId: string; body: string }> {
  if (eventId !== null && body !== null) return { eventId, body };
  return database.transaction(tenantId, async (tx) => {
    await lockPayloadsForRendering(tx, tenantId);
    const { bodies } = await findEventBodies(tx, tenantId, { first: sequence, last: sequence }, { limit: 1 });
    const [rendered] = bodies;
    if (!rendered) throw new Error(`event ${sequence} of its tenant is gone`);
    await savePayloads(tx, tenantId, bodies);
    return rendered;
  });
}
