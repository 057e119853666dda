// The directory as text, one line for each identity, so that the model and the installation can be compared.
import { decodeId } from '@idsync/contracts';
import { attributeFields, attributesOf, displayNamesOf } from './attributes.js';
import type { Cases } from './cases.js';
import type { Directory } from './directory.js';
import { cycleLine, findingsOf } from './findings.js';
import type { Shown } from './installation.js';
import { statusOfPerson } from './lifecycle.js';
import { resolveManagers } from './managers.js';
import { isDeleted, isUser } from './types.js';

/** A date as the source gives it. */
const asSaid = (value: string): string => value.replace('T00:00:00.000Z', '');

function line(records: readonly string[], status: string, name: string | undefined, attributes: object): string {
  const values = Object.entries(attributes).map(([field, said]) => `${field} ${(said as string[]).join(', ')}`);
  return [records.join(' + '), status, name ?? '-', ...values.sort()].join(' | ');
}

export function linesOfModel(directory: Directory, cases: Cases, leavers: ReadonlySet<string>): string[] {
  const people = directory.people().map((entries) =>
    line(
      entries.map(({ name, status }) => `${name} ${status}`),
      statusOfPerson(entries),
      displayNamesOf(entries)[0],
      attributesOf(entries),
    ),
  );
  const waiting = [...directory.entries.values()].filter(({ person }) => person === undefined);
  const reviews = cases.open().map(({ entry, candidates }) =>
    reviewLine(
      entry.name,
      candidates.map((person) => directory.of(person).map(({ name }) => name)),
    ),
  );
  resolveManagers(directory);
  const managed = [...directory.entries.values()].flatMap((entry) =>
    isUser(entry) && !isDeleted(entry) && entry.manager !== undefined
      ? managerLine(
          entry.name,
          directory.of(entry.manager).map(({ name }) => name),
        )
      : [],
  );
  const unlinked = waiting.map(({ name, status }) => `${name} ${status} waits`);
  return [...people, ...unlinked, ...reviews, ...managed, ...findingsOf(directory, leavers)].sort();
}

const managerLine = (name: string, names: readonly string[]): string =>
  `manager of ${name}: ${[...names].sort().join(' + ')}`;

const reviewLine = (name: string, candidates: readonly string[][]): string =>
  `review ${name}: ${candidates
    .map((names) => names.sort().join(' + '))
    .sort()
    .join(' or ')}`;

export function linesOfInstallation(
  { identities, records, cases, findings, sourceNames }: Shown,
  directory: Directory,
): string[] {
  const people = identities.flatMap(({ id, status, document }) => {
    const own = records.filter(({ person }) => person === id).sort((a, b) => (a.name < b.name ? -1 : 1));
    // The tombstone of an erased person.
    if (own.length === 0) return [];
    const entries = own.flatMap(({ name }) => directory.entries.get(name) ?? []);
    const names = entries.length > 0 ? displayNamesOf(entries) : [];
    const shown = document.attributes as { field_name: string; field_value: string; source_id: string }[];
    const attributes = Object.fromEntries(
      attributeFields.flatMap((field) => {
        const said = shown.filter(({ field_name }) => field_name === field);
        return said.length > 0
          ? [
              [
                field,
                inOrder(said.map(({ field_value, source_id }) => [asSaid(field_value), sourceNames.get(source_id)])),
              ],
            ]
          : [];
      }),
    );
    return line(
      own.map(({ name, status: ofRecord }) => `${name} ${ofRecord}`),
      status,
      names.includes(document.display_name) ? names[0] : document.display_name,
      attributes,
    );
  });
  const waiting = records.filter(({ person }) => person === null);
  const reviews = cases.map(({ record_id, candidates }) =>
    reviewLine(
      records.find(({ id }) => id === record_id)?.name ?? record_id,
      candidates.map(({ identity_id }) =>
        records.filter(({ person }) => person === identity_id).map(({ name }) => name),
      ),
    ),
  );
  const namesOf = (id: string) => records.filter(({ person }) => person === id).map(({ name }) => name);
  const managed = records.flatMap(({ name, kind, status, manager }) =>
    kind === 'user' && status !== 'deleted' && manager !== null ? managerLine(name, namesOf(manager)) : [],
  );
  const found = findings.map(({ kind, subject_id, evidence }) =>
    kind === 'manager_cycle'
      ? `finding ${cycleLine((evidence.manager_ids ?? []).map((id) => namesOf(decodeId('identity', id) ?? id)))}`
      : `finding ${kind} ${records.find(({ id }) => id === subject_id)?.name ?? subject_id}`,
  );
  const unlinked = waiting.map(({ name, status }) => `${name} ${status} waits`);
  return [...people, ...unlinked, ...reviews, ...managed, ...found].sort();
}

/** Candidates of one source in the order of their text, as in the model. */
function inOrder(said: readonly [string, string | undefined][]): string[] {
  return said
    .toSorted(([a, source], [b, other]) => (source !== other ? 0 : a < b ? -1 : 1))
    .map(([value, source]) => `${value} (${source})`);
}

/** The lines of one side that the other does not have. */
export function difference(model: readonly string[], shown: readonly string[]): string[] {
  return [
    ...model.filter((text) => !shown.includes(text)).map((text) => `model:  ${text}`),
    ...shown.filter((text) => !model.includes(text)).map((text) => `idsync: ${text}`),
  ];
}
