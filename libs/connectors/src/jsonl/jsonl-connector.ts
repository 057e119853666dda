import type { JsonlConfig, RecordKind } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { jsonReader } from '../json/json-path.js';
import { isObject } from '../json/json-value.js';
import { NotJson, parseJsonText } from '../json/parse-json.js';
import { type Mapping, mapRecord, mapRecordAt } from '../map-record.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { fileBeginning, fileConnector, type Position, sampledEntries } from '../read-pages.js';
import { decodeText, readText } from '../read-text.js';
import { sourceNames } from '../transform.js';

/** Creates a connector for files with one JSON object per line. */
export function jsonlConnector(records: RecordKind, config: JsonlConfig, source: FileSource): Connector {
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields };
  const valuesOf = jsonReader(sourceNames(config));

  const idOf = jsonReader([config.external_id]);
  const idOnly: Mapping = { ...mapping, fields: {} };

  return fileConnector(source, {
    async *readEntries(file, from, signal) {
      let empty = from.offset === 0;
      for await (const one of readLines(file, from, signal)) {
        const { line, next } = one;
        const read = readLine(file, one);
        if (read === undefined) continue;
        empty = false;
        if ('problem' in read) yield { next, line, error: { line, message: read.problem } };
        else yield { next, line, ...mapRecordAt(line, mapping, valuesOf(read.value)) };
      }
      // An empty export is treated as a failed one.
      if (empty) throw new SourceError(`"${file.path}" contains no lines`, 'incomplete');
    },
    async readFields(file, signal) {
      const found: unknown[] = [];
      for await (const line of readLines(file, fileBeginning, signal)) {
        const read = readLine(file, line);
        if (read && 'value' in read) found.push(read.value);
        if (found.length >= sampledEntries || line.line >= 10 * sampledEntries) break;
      }
      return jsonFields(found);
    },
    async readIds(file, signal, add) {
      for await (const one of readLines(file, fileBeginning, signal)) {
        const read = readLine(file, one);
        if (!read || !('value' in read)) continue;
        const mapped = mapRecord(idOnly, idOf(read.value));
        if ('record' in mapped) add(mapped.record.external_id);
      }
    },
  });
}

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

const maxLineBytes = 8 * 1024 * 1024;

interface JsonLine {
  /** One character per byte, without the line break. */
  bytes: string;
  line: number;
  next: Position;
  /** False for a last line without a line break. */
  terminated: boolean;
}

/** Streams the lines of a file from a position, including blank lines. */
async function* readLines(file: SourceFile, from: Position, signal: AbortSignal): AsyncGenerator<JsonLine> {
  const { start, chunks } = await readText(file, from.offset, signal);
  let at: Position = { offset: start, line: from.line };
  let rest: Buffer[] = [];
  let restBytes = 0;
  const take = (bytes: Buffer, terminated: boolean): JsonLine => {
    const { line, offset } = at;
    at = { offset: offset + bytes.length + (terminated ? 1 : 0), line: line + 1 };
    return { bytes: bytes.toString('latin1'), line, next: at, terminated };
  };
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      yield take(Buffer.concat([...rest, chunk.subarray(begin, end)]), true);
      rest = [];
      restBytes = 0;
      begin = end + 1;
    }
    if (begin === chunk.length) continue;
    rest.push(chunk.subarray(begin));
    restBytes += chunk.length - begin;
    if (restBytes > maxLineBytes)
      throw new SourceError(`line ${at.line} of "${file.path}" is longer than 8 MiB`, 'too_large');
  }
  if (restBytes > 0) yield take(Buffer.concat(rest), false);
}
