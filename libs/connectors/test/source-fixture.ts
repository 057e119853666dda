import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordError, RecordKind, SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll } from '@jest/globals';
import type { Connector, Cursor, Page, ReadOptions, ReadRecord } from '../src/connector.js';
import { createConnector } from '../src/create-connector.js';

/** A sources folder that is removed after the tests of the file. */
export function sourcesFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'idsync-sources-'));
  beforeAll(() => void mkdirSync(dir, { recursive: true }));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const standard = {
    csv: { external_id: 'id', fields: { display_name: 'name' } },
    ldif: { external_id: 'uid', fields: { display_name: 'cn' } },
    jsonl: { external_id: 'id', fields: { display_name: 'name' } },
  };
  /** Creates a connector for the existing file. */
  function connector(type: FileType, config: Record<string, unknown> = {}, records: RecordKind = 'user'): Connector {
    const complete = { path: `source.${type}`, ...standard[type], ...config };
    return createConnector({ type, records, config: complete, sourcesDir: dir });
  }
  return {
    dir,
    connector,
    /** Writes a source and returns a connector for it. */
    source(
      type: FileType,
      content: string | Uint8Array,
      config: Record<string, unknown> = {},
      records: RecordKind = 'user',
    ): Connector {
      writeFileSync(join(dir, `source.${type}`), content);
      return connector(type, config, records);
    },
    /** Returns the files of the folder that this process has open; works on Linux only. */
    openFiles: () =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const target = readlinkSync(`/proc/self/fd/${fd}`);
          return target.startsWith(dir) ? [target] : [];
        } catch {
          return [];
        }
      }),
  };
}

type FileType = 'csv' | 'ldif' | 'jsonl';

interface Read {
  pages: Page[];
  records: ReadRecord[];
  errors: RecordError[];
}

export function readAll(connector: Connector, pageSize = 1000, cursor?: Cursor): Promise<Read> {
  return read(connector, { pageSize, ...(cursor && { cursor }) });
}

/** Reads the changes since a checkpoint. */
export function readSince(connector: Connector, since: Cursor, pageSize = 1000, cursor?: Cursor): Promise<Read> {
  return read(connector, { since, pageSize, ...(cursor && { cursor }) });
}

async function read(connector: Connector, options: Omit<ReadOptions, 'signal'>): Promise<Read> {
  const pages: Page[] = [];
  const signal = new AbortController().signal;
  for await (const page of connector.read({ ...options, signal })) pages.push(page);
  return { pages, records: pages.flatMap((page) => page.records), errors: pages.flatMap((page) => page.errors) };
}

/** Returns external ids and `display_name` values in reading order. */
export function names(records: readonly SourceRecord[]): [string, string | undefined][] {
  return records.map((record) => [record.external_id, record.fields.display_name?.[0]]);
}
