import { expect } from '@jest/globals';
import type { Connector, FoundRecord } from '../src/connector.js';

const signal = new AbortController().signal;

export function readOne(connector: Connector, externalId: string): Promise<FoundRecord> {
  if (!connector.readOne) throw new Error('it cannot read one record');
  return connector.readOne(externalId, signal);
}

/**
 * What a source says of each record alone is what it says of it in a read of everything, and of `strangers` that they are not there.
 * Returns the ids of all there are.
 */
export async function expectEachAlone(
  connector: Connector,
  strangers: readonly string[] = ['nobody'],
): Promise<string[]> {
  const everything = new Map<string, Exclude<FoundRecord, 'absent'>>();
  for await (const { records, errors } of connector.read({ pageSize: 3, signal })) {
    for (const { external_id, message } of errors) {
      if (external_id !== undefined && !everything.has(external_id))
        everything.set(external_id, { error: { message } });
    }
    for (const record of records) everything.set(record.external_id, { record });
  }
  for (const [id, said] of everything) expect(await readOne(connector, id)).toMatchObject(said);
  for (const id of strangers) {
    expect(everything.has(id)).toBe(false);
    expect(await readOne(connector, id)).toBe('absent');
  }
  return [...everything.keys()];
}
