import type { ConnectorType, RecordKind } from '@idsync/contracts';

/** Whether connectors of a type have `readOne`: known before one is made, and so without its secrets. */
export function canReadOne(type: ConnectorType, records: RecordKind): boolean {
  // Machines of GitHub are in lists only, some of them one for each repository.
  return type !== 'github' || records !== 'machine_identity';
}
