import { comparedText, isSecretLdapAttribute, type LdifConfig, type RecordKind } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { FieldSamples } from '../field-samples.js';
import { type Mapping, mapRecordAt } from '../map-record.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { fileBeginning, fileConnector, type Position, type ReadEntry, sampledEntries } from '../read-pages.js';
import { readText } from '../read-text.js';
import { sourceNames } from '../transform.js';
import type { LdifEntry } from './ldif-entry.js';
import { decodeValue, type LdifLine } from './ldif-entry.js';
import { LdifParser } from './ldif-parser.js';

/** Creates a connector for LDIF exports. */
export function ldifConnector(records: RecordKind, config: LdifConfig, source: FileSource): Connector {
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields: config.fields };
  const wanted = new Set(sourceNames(config).map(attributeName));
  const isWanted = ({ name }: LdifLine) => wanted.has(name);

  return fileConnector(source, {
    async *readEntries(file, from, signal) {
      for await (const entry of entriesOf(file, from, isWanted, signal)) {
        yield { next: entry.next, line: entry.line, ...readEntry(entry, mapping, config) };
      }
    },
    async readFields(file, signal) {
      const fields = new FieldSamples();
      let [selected, seen] = [0, 0];
      for await (const { values, problem } of entriesOf(file, fileBeginning, isReadable, signal)) {
        if (problem === undefined && isSelected(records, values.get('objectclass') ?? [], config.object_class)) {
          for (const [name, texts] of values) fields.add(name, texts);
          selected += 1;
        }
        seen += 1;
        if (selected >= sampledEntries || seen >= 10 * sampledEntries) break;
      }
      return fields.list();
    },
  });
}

/** Parses the entries with the values of wanted lines. */
async function* entriesOf(
  file: SourceFile,
  from: Position,
  isWanted: (line: LdifLine) => boolean,
  signal: AbortSignal,
): AsyncGenerator<LdifEntry> {
  const { start, chunks } = await readText(file, from.offset, signal);
  const parser = new LdifParser(file.path, isWanted, { offset: start, line: from.line });
  for await (const chunk of chunks) yield* parser.feed(chunk);
  yield* parser.end();
  // An empty export is treated as a failed one.
  if (from.offset === 0 && !parser.sawEntry) throw new SourceError(`"${file.path}" contains no entries`, 'incomplete');
}

/** Excludes URLs, binary values and secrets, which cannot be mapped. */
function isReadable(line: LdifLine): boolean {
  return line.encoding !== 'url' && decodeValue(line) !== undefined && !isSecretLdapAttribute(line.name);
}

function readEntry(entry: LdifEntry, mapping: Mapping, config: LdifConfig): Partial<ReadEntry> {
  const { line, values, problem, hidesOthers } = entry;
  const classes = values.get('objectclass');
  // A part separated by a blank line has no class. It is an error and not an entry to skip.
  // Where two entries are merged, it is unknown which of them a class belongs to.
  if (
    !hidesOthers &&
    (classes || problem === undefined) &&
    !isSelected(mapping.kind, classes ?? [], config.object_class)
  )
    return {};
  if (problem !== undefined) {
    const ids = values.get(attributeName(mapping.externalId)) ?? [];
    const id = ids.map(comparedText).find((value) => value !== '');
    return {
      error: { line, ...(id && { external_id: id }), message: problem, ...(hidesOthers && { hides_others: true }) },
    };
  }
  return mapRecordAt(line, mapping, (name) => values.get(attributeName(name)) ?? []);
}

function attributeName(name: string): string {
  return name.trim().toLowerCase();
}

const people = new Set(['person', 'organizationalperson', 'inetorgperson', 'user', 'posixaccount', 'account']);
const containersAndGroups = new Set([
  'organizationalunit',
  'organization',
  'domain',
  'dcobject',
  'container',
  'group',
  'groupofnames',
  'groupofuniquenames',
  'posixgroup',
]);

/** Returns whether an entry of these classes is a record of this kind. If `wanted` is given, only it decides. */
function isSelected(kind: RecordKind, objectClasses: readonly string[], wanted?: string): boolean {
  const classes = objectClasses.map((name) => name.toLowerCase());
  if (wanted !== undefined) return classes.includes(wanted.trim().toLowerCase());
  if (kind === 'machine_identity') return !classes.some((name) => containersAndGroups.has(name));
  return classes.length === 0 || classes.some((name) => people.has(name));
}
