import { encodeId, type responses } from '@idsync/contracts';
import type { GroupRow } from '@idsync/database/gateway';

export function presentGroup({ id, name, connectorId, createdAt }: GroupRow): responses.Group {
  return {
    id: encodeId('group', id),
    name,
    source_id: encodeId('connector', connectorId),
    created_at: createdAt.toISOString(),
  };
}
