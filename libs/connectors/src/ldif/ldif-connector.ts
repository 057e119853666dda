import type { LdifConfig, RecordKind } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { type Mapping, mapRecord } from '../map-record.js';
import type { FileSource } from '../open-source-file.js';
import { type EntryReader, fileConnector, type ReadEntry } from '../read-pages.js';
import { readText } from '../read-text.js';
import { sourceNames } from '../transform.js';
import type { LdifEntry } from './ldif-entry.js';
import { LdifParser } from './ldif-parser.js';
import { isSelected } from './ldif-selection.js';

/** Entries of an LDIF export. */
export function ldifConnector(records: RecordKind, config: LdifConfig, source: FileSource): Connector {
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields };
  const wanted = new Set(sourceNames(config).map(attributeName));

  const readEntries: EntryReader = async function* (file, from, signal) {
    const { start, chunks } = await readText(file, from.offset, signal);
    const parser = new LdifParser(file.path, wanted, { offset: start, line: from.line });
    const read = (entry: LdifEntry): ReadEntry => ({ next: entry.next, ...readEntry(entry, mapping, config) });
    for await (const chunk of chunks) {
      for (const entry of parser.feed(chunk)) yield read(entry);
    }
    for (const entry of parser.end()) yield read(entry);
    // An export of nothing is one that failed.
    if (from.offset === 0 && !parser.sawEntry) throw new SourceError(`"${file.path}" has no entries at all`);
  };
  return fileConnector(source, readEntries);
}

function readEntry(entry: LdifEntry, mapping: Mapping, config: LdifConfig): Omit<ReadEntry, 'next'> {
  const { line, values, problem, hidesOthers } = entry;
  const classes = values.get('objectclass');
  // A piece that a blank line tore off has no class: that is an error, not somebody else's entry.
  // Nor is it known whose the classes are where two entries are one.
  if (
    !hidesOthers &&
    (classes || problem === undefined) &&
    !isSelected(mapping.kind, classes ?? [], config.object_class)
  )
    return {};
  if (problem !== undefined) {
    const ids = values.get(attributeName(mapping.externalId)) ?? [];
    const id = ids.map((value) => value.trim()).find((value) => value !== '');
    return {
      error: { line, ...(id && { external_id: id }), message: problem, ...(hidesOthers && { hides_others: true }) },
    };
  }
  const mapped = mapRecord(mapping, (name) => values.get(attributeName(name)) ?? []);
  return 'record' in mapped ? mapped : { error: { line, ...mapped.error } };
}

function attributeName(name: string): string {
  return name.trim().toLowerCase();
}
