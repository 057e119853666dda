import {
  announceRendering,
  type ClaimedDelivery,
  type Database,
  findEventBodies,
  savePayloads,
} from '@idsync/database';

/** What is to be sent. An erasure takes what was rendered before; what is rendered again says nothing of the person any more. */
export async function bodyOf(
  database: Database,
  { tenantId, sequence, eventId, body }: ClaimedDelivery,
): Promise<{ eventId: string; body: string }> {
  if (eventId !== null && body !== null) return { eventId, body };
  return database.transaction(tenantId, async (tx) => {
    await announceRendering(tx, tenantId);
    const bodies = await findEventBodies(tx, tenantId, { first: sequence, last: sequence }, { limit: 1 });
    const [rendered] = bodies;
    if (!rendered) throw new Error(`event ${sequence} of its tenant is gone`);
    await savePayloads(tx, tenantId, bodies);
    return rendered;
  });
}
