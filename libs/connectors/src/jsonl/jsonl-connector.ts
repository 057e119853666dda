import type { JsonlConfig, RecordKind } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { decodeText } from '../decode-text.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import { isObject } from '../json/json-value.js';
import { NotJson, parseJsonText } from '../json/parse-json.js';
import { type Mapping, mapRecord, mapRecordAt } from '../map-record.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import {
  type EntryReader,
  type FieldReader,
  fileBeginning,
  fileConnector,
  type IdReader,
  sampledEntries,
} from '../read-pages.js';
import { sourceNames } from '../transform.js';
import { type JsonLine, readLines } from './json-lines.js';

/** Creates a connector for files with one JSON object per line. */
export function jsonlConnector(records: RecordKind, config: JsonlConfig, source: FileSource): Connector {
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields };
  const valuesOf = jsonReader(sourceNames(config));

  const readEntries: EntryReader = async function* (file, from, signal) {
    let empty = from.offset === 0;
    for await (const one of readLines(file, from, signal)) {
      const { line, next } = one;
      const read = readLine(file, one);
      if (read === undefined) continue;
      empty = false;
      if ('problem' in read) {
        yield { next, line, error: { line, message: read.problem } };
        continue;
      }
      yield { next, line, ...mapRecordAt(line, mapping, valuesOf(read.value)) };
    }
    // An empty export is treated as a failed one.
    if (empty) throw new SourceError(`"${file.path}" contains no lines`, 'incomplete');
  };

  const idOf = jsonReader([config.external_id]);
  const idOnly: Mapping = { ...mapping, fields: {} };
  const readIds: IdReader = async (file, signal, add) => {
    for await (const one of readLines(file, fileBeginning, signal)) {
      const read = readLine(file, one);
      if (!read || !('value' in read)) continue;
      const mapped = mapRecord(idOnly, idOf(read.value));
      if ('record' in mapped) add(mapped.record.external_id);
    }
  };

  return fileConnector(source, { readEntries, readFields, readIds });
}

const readFields: FieldReader = async (file, signal) => {
  const found: unknown[] = [];
  for await (const line of readLines(file, fileBeginning, signal)) {
    const read = readLine(file, line);
    if (read && 'value' in read) found.push(read.value);
    if (found.length >= sampledEntries || line.line >= 10 * sampledEntries) break;
  }
  return jsonFields(found);
};

/** Parses a line. Returns its object, its problem, or undefined if it is blank. */
function readLine(
  file: SourceFile,
  { bytes, line, terminated }: JsonLine,
): { value: unknown } | { problem: string } | undefined {
  const text = decodeText(bytes);
  if (text?.trim() === '') return undefined;
  try {
    const value = text === undefined ? undefined : parseJsonText(text);
    if (isObject(value)) return { value };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
  }
  // A complete object ends with a brace, so a truncated one does not parse.
  if (!terminated) throw new SourceError(`"${file.path}" is truncated: it ends within line ${line}`, 'incomplete');
  if (text === undefined) return { problem: 'not valid UTF-8, or contains a NUL character' };
  return { problem: 'is not a JSON object' };
}
