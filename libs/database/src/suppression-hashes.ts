import { createHmac } from 'node:crypto';
import { comparedText, matchingKeys, type SuppressedBy } from '@idsync/contracts';

type Fields = Readonly<Record<string, readonly string[]>>;

export interface SuppressionHash {
  kind: SuppressedBy;
  hash: Buffer;
}

/** Returns the keyed hash of a record's anchor. */
export function anchorHash(key: Buffer, connectorId: string, externalId: string): Buffer {
  return keyedHash(key, ['anchor', connectorId, externalId]);
}

/**
 * Returns the keyed hashes by which a record is recognised after an erasure: its anchor, and each match key together
 * with the name, because numbers and addresses are given to others.
 */
export function suppressionHashes(
  key: Buffer,
  connectorId: string,
  { external_id, fields }: { external_id: string; fields: Fields },
): SuppressionHash[] {
  const name = nameText(fields);
  const keys = matchingKeys.flatMap((kind) => {
    const value = comparedText(fields[kind]?.[0] ?? '').toLowerCase();
    // An address that one source calls email can be the user principal name of another.
    const form = kind === 'employee_number' ? 'number' : 'address';
    return value ? [{ kind, hash: keyedHash(key, [form, value, name]) }] : [];
  });
  return [{ kind: 'anchor', hash: anchorHash(key, connectorId, external_id) }, ...keys];
}

/** Returns the words of the name without case, accents and order; empty if the record has no name. */
function nameText({ first_name = [], last_name = [], display_name = [] }: Fields): string {
  const whole = [first_name[0], last_name[0]].filter(Boolean).length === 2;
  const name = whole ? `${first_name[0]} ${last_name[0]}` : (display_name[0] ?? first_name[0] ?? last_name[0] ?? '');
  const plain = comparedText(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .sort()
    .join(' ');
}

/** The parts are encoded, so that no two lists of parts have the same text. */
function keyedHash(key: Buffer, parts: readonly string[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
