import { matchingKeys, type OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findHeldKeys, type StoredRecord, saveSuppression } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { keyValue } from '../matching/key-rules.js';
import { keyText } from '../matching/record-keys.js';

/**
 * Stores the hashes of the person's anchors, and of the match keys that no other person has. The gateway has computed
 * them, because the directory does not have the key. Call it before the keys are released.
 */
export async function suppressPerson(
  tx: Transaction,
  { tenantId, operationId, rules }: Cause,
  { identity_id: identityId, suppress = [] }: OperationInput<'identity.erase'>,
  persons: readonly StoredRecord[],
): Promise<void> {
  if (suppress.length === 0 || operationId === undefined) return;
  const keysOf = new Map(
    persons.map(({ id, fields }) => [
      id,
      matchingKeys.flatMap((kind) => {
        const value = keyValue(kind, fields[kind]?.[0], rules);
        return value === undefined ? [] : [{ kind, value }];
      }),
    ]),
  );
  const held = new Set((await findHeldKeys(tx, tenantId, identityId, [...keysOf.values()].flat())).map(keyText));
  const hashes = suppress.filter(({ record_id, kind }) => {
    const keys = keysOf.get(record_id);
    return keys && (kind === 'anchor' || keys.some((key) => key.kind === kind && held.has(keyText(key))));
  });
  await saveSuppression(tx, tenantId, {
    identityId,
    operationId,
    hashes: hashes.map(({ hash }) => Buffer.from(hash, 'base64')),
  });
}
