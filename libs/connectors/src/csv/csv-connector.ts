import type { CsvConfig, RecordKind } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { decodeText } from '../decode-text.js';
import { FieldSamples } from '../field-samples.js';
import { type Mapping, mapRecord } from '../map-record.js';
import type { FileSource } from '../open-source-file.js';
import { type EntryReader, type FieldReader, fileConnector, type ReadEntry, sampledEntries } from '../read-pages.js';
import { sourceNames } from '../transform.js';
import { type Header, isBlank, readHeader } from './csv-header.js';
import { type Row, readRows } from './csv-rows.js';

/** Creates a connector for delimited files with a header and one record per row. */
export function csvConnector(records: RecordKind, config: CsvConfig, source: FileSource): Connector {
  const { delimiter = ',', list_separator: listSeparator = ';' } = config;
  if (/["\r\n]/.test(delimiter))
    throw new SourceError('delimiter must not be a quote or a line break', { code: 'misconfigured' });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields, listSeparator };
  const needed = sourceNames(config);

  const readEntries: EntryReader = async function* (file, from, signal) {
    const header = await readHeader(file, delimiter, needed, signal);
    const first = from.offset < header.next.offset ? header.next : from;
    for await (const row of readRows(file, delimiter, first, signal)) {
      if (isBlank(row)) continue;
      if (!row.terminated && row.cells.length < header.width) {
        throw new SourceError(`"${file.path}" is truncated: it ends within the row of line ${row.line}`, {
          code: 'incomplete',
        });
      }
      if (row.cells.length !== header.width && row.next.line - row.line > 1) {
        throw new SourceError(`"${file.path}" has quotes around more than one row, from line ${row.line} on`, {
          code: 'too_large',
        });
      }
      yield { next: row.next, ...readRow(row, header, mapping) };
    }
  };
  // Mapped columns are not required, because discovery shows which columns exist.
  const readFields: FieldReader = async (file, signal) => {
    const header = await readHeader(file, delimiter, [], signal);
    const fields = new FieldSamples();
    for (const name of header.columns.keys()) fields.add(name);
    let rows = 0;
    for await (const { cells } of readRows(file, delimiter, header.next, signal)) {
      if (cells.length === header.width) {
        for (const [name, index] of header.columns) fields.add(name, [decodeText(cells[index] ?? '') ?? '']);
      }
      rows += 1;
      if (rows >= sampledEntries) break;
    }
    return fields.list();
  };
  return fileConnector(source, readEntries, readFields);
}

function readRow({ cells, line }: Row, header: Header, mapping: Mapping): Omit<ReadEntry, 'next'> {
  if (cells.length !== header.width) {
    return { error: { line, message: `${cells.length} columns, but the header has ${header.width}` } };
  }
  const texts: string[] = [];
  for (const cell of cells) {
    const text = decodeText(cell);
    if (text === undefined) return { error: { line, message: 'not valid UTF-8, or contains a NUL character' } };
    texts.push(text);
  }
  const mapped = mapRecord(mapping, (name) => {
    const value = texts[header.columns.get(name.trim()) ?? -1];
    return value === undefined ? [] : [value];
  });
  return 'record' in mapped ? mapped : { error: { line, ...mapped.error } };
}
