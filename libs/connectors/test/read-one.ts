import { expect } from '@jest/globals';
import type { Connector, FoundRecord } from '../src/connector.js';

const signal = new AbortController().signal;

export function readOne(connector: Connector, externalId: string): Promise<FoundRecord> {
  if (!connector.readOne) throw new Error('the connector has no readOne');
  return connector.readOne(externalId, signal);
}

/**
 * Expects each record read alone to equal its result in a full read, and each of `unknownIds` to be absent.
 * Returns the ids of all records.
 */
export async function expectEachAlone(
  connector: Connector,
  unknownIds: readonly string[] = ['nobody'],
): Promise<string[]> {
  const everything = new Map<string, Exclude<FoundRecord, 'absent'>>();
  for await (const { records, errors } of connector.read({ pageSize: 3, signal })) {
    for (const { external_id, message } of errors) {
      if (external_id !== undefined && !everything.has(external_id))
        everything.set(external_id, { error: { message } });
    }
    for (const record of records) everything.set(record.external_id, { record });
  }
  for (const [id, expected] of everything) expect(await readOne(connector, id)).toMatchObject(expected);
  for (const id of unknownIds) {
    expect(everything.has(id)).toBe(false);
    expect(await readOne(connector, id)).toBe('absent');
  }
  return [...everything.keys()];
}
