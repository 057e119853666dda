import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordError, RecordKind, SourceRecord } from '@idsync/contracts';
import { afterAll } from '@jest/globals';
import type { Connector, Cursor, Page } from '../src/connector.js';
import { createConnector } from '../src/create-connector.js';

/** A sources folder that is removed after the tests of the file. */
export function sourcesFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'idsync-sources-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return {
    dir,
    /** Writes a source and returns a connector for it. */
    source(
      type: 'csv' | 'ldif' | 'jsonl',
      content: string | Uint8Array,
      config: Record<string, unknown> = {},
      records: RecordKind = 'user',
    ): Connector {
      const path = `source.${type}`;
      writeFileSync(join(dir, path), content);
      const standard = {
        csv: { path, external_id: 'id', fields: { display_name: 'name' } },
        ldif: { path, external_id: 'uid', fields: { display_name: 'cn' } },
        jsonl: { path, external_id: 'id', fields: { display_name: 'name' } },
      };
      return createConnector({ type, records, config: { ...standard[type], ...config }, sourcesDir: dir });
    },
  };
}

interface Read {
  pages: Page[];
  records: SourceRecord[];
  errors: RecordError[];
}

export async function readAll(connector: Connector, pageSize = 1000, cursor?: Cursor): Promise<Read> {
  const pages: Page[] = [];
  const signal = new AbortController().signal;
  for await (const page of connector.read({ pageSize, signal, ...(cursor && { cursor }) })) pages.push(page);
  return { pages, records: pages.flatMap((page) => page.records), errors: pages.flatMap((page) => page.errors) };
}

/** The `display_name` values by external id, in the order they were read. */
export function names(records: readonly SourceRecord[]): [string, string | undefined][] {
  return records.map((record) => [record.external_id, record.fields.display_name?.[0]]);
}
