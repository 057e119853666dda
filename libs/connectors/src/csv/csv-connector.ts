import type { CsvConfig, RecordKind } from '@idsync/contracts';
import { type Connector, quoteAll, SourceError } from '../connector.js';
import { FieldSamples } from '../field-samples.js';
import { type Mapping, mapRecordAt, Unusable } from '../map-record.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { fileConnector, type ReadEntry, sampledEntries } from '../read-pages.js';
import { readHead } from '../read-text.js';
import { sourceNames } from '../transform.js';
import {
  encodingSample,
  encodingWarning,
  isBlank,
  type Layout,
  likelyDelimiter,
  nameOf,
  readLayout,
} from './csv-layout.js';
import { type Row, readRows } from './csv-rows.js';
import { scanIds } from './scan-ids.js';

/** Creates a connector for delimited files with a header and one record per row. */
export function csvConnector(records: RecordKind, config: CsvConfig, source: FileSource): Connector {
  const { delimiter = ',', list_separator: listSeparator = ';' } = config;
  if (/["\r\n]/.test(delimiter))
    throw new SourceError('delimiter must not be a quote or a line break', 'misconfigured');
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields, listSeparator };
  const needed = sourceNames(config);

  return fileConnector(source, {
    async *readEntries(file, from, signal) {
      const layout = await readLayout(file, config, needed, signal);
      const first = from.offset < layout.next.offset ? layout.next : from;
      for await (const row of readRows(file, layout, first, signal)) {
        if (isBlank(row)) continue;
        requireWhole(file, row, layout);
        yield { next: row.next, line: row.line, ...readRow(row, layout, mapping) };
      }
    },
    async readFields(file, signal) {
      // Mapped columns are not required, because discovery shows which columns exist.
      const layout = await readLayout(file, config, [], signal);
      const fields = new FieldSamples();
      for (const name of layout.columns.keys()) fields.add(name);
      let rows = 0;
      for await (const { cells } of readRows(file, layout, layout.next, signal)) {
        if (cells.length === layout.width) {
          for (const [name, index] of layout.columns) fields.add(name, [layout.textOf(cells[index] ?? '') ?? '']);
        }
        rows += 1;
        if (rows >= sampledEntries) break;
      }
      return fields.list();
    },
    async readIds(file, signal, add) {
      const layout = await readLayout(file, config, needed, signal);
      const column = layout.columns.get(config.external_id.trim()) ?? -1;
      await scanIds(file, layout, column, signal, add);
    },
    async describe(file, signal) {
      const { encoding, delimiter: used, columns } = await readLayout(file, config, needed, signal);
      const names = [...columns.keys()];
      const unmapped = names.filter((name) => !needed.some((wanted) => wanted.trim() === name));
      const warnings = [
        ...(unmapped.length > 0 ? [`columns that are not mapped: ${quoteAll(unmapped)}`] : []),
        ...encodingWarning(encoding, await readHead(file, encodingSample)),
      ];
      return { encoding, delimiter: used, columns: names, warnings };
    },
  });
}

/** Throws if the row shows that the file is truncated or that a quote encloses several rows. */
function requireWhole(file: SourceFile, row: Row, { width }: Layout): void {
  if (!row.terminated && row.cells.length < width) {
    throw new SourceError(`"${file.path}" is truncated: it ends within the row of line ${row.line}`, 'incomplete');
  }
  if (row.cells.length !== width && row.next.line - row.line > 1) {
    throw new SourceError(`"${file.path}" has quotes around more than one row, from line ${row.line} on`, 'too_large');
  }
}

function readRow(row: Row, { width, encoding, columns, textOf }: Layout, mapping: Mapping): Partial<ReadEntry> {
  const { cells, line } = row;
  if (cells.length !== width) {
    const likely = likelyDelimiter(row, width);
    const hint = likely === undefined ? '' : `; is the delimiter ${likely}?`;
    return {
      error: { line, message: `${cells.length} columns, but the header has ${width}${hint}` },
    };
  }
  return mapRecordAt(line, mapping, (name) => {
    const cell = cells[columns.get(name.trim()) ?? -1];
    if (cell === undefined) return [];
    const text = textOf(cell);
    if (text === undefined) throw new Unusable(`is not valid ${nameOf(encoding)}, or contains a NUL character`);
    return [text];
  });
}
