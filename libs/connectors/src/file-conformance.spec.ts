import { conforms } from '../test/conformance/conforms.js';
import type { Person } from '../test/conformance/source-under-test.js';
import { sourcesFolder } from '../test/source-fixture.js';

const { connector, source, openFiles } = sourcesFolder();

/** A file format with its entries and its behaviour for an empty file. */
interface Format {
  type: 'csv' | 'ldif' | 'jsonl';
  config: object;
  head: string;
  entry(person: Partial<Person>, status?: string): string;
  /** Truncates an entry, as at the end of a truncated file. */
  cut(entry: string): string;
  emptySource: 'complete' | 'refused';
  discovers: readonly string[];
}

const statusOf = ({ enabled }: Partial<Person>) => (enabled ? 'active' : 'suspended');

const formats: Format[] = [
  {
    type: 'csv',
    config: { fields: { user_principal_name: 'login', display_name: 'name', status: 'status' } },
    head: 'id,login,name,status\n',
    entry: ({ id = '', login, name, ...rest }, status = statusOf(rest)) => `${id},${login},${name},${status}\n`,
    cut: (entry) => entry.slice(0, 2),
    emptySource: 'complete',
    discovers: ['id', 'login', 'name', 'status'],
  },
  {
    type: 'ldif',
    config: {
      fields: { user_principal_name: 'mail', display_name: 'cn', status: 'employeeType' },
    },
    head: 'version: 1\n\n',
    entry: ({ id, login, name, ...rest }, status = statusOf(rest)) =>
      `dn: cn=${login}\nobjectClass: person\n${id ? `uid: ${id}\n` : ''}mail: ${login}\ncn: ${name}\nemployeeType: ${status}\n\n`,
    cut: (entry) => entry.slice(0, 30),
    emptySource: 'refused',
    discovers: ['uid', 'mail', 'cn'],
  },
  {
    type: 'jsonl',
    config: { fields: { user_principal_name: 'login', display_name: 'name', status: 'status' } },
    head: '',
    entry: ({ enabled, ...person }, status = statusOf({ ...(enabled && { enabled }) })) =>
      `${JSON.stringify({ ...person, status })}\n`,
    cut: (entry) => entry.slice(0, -2),
    emptySource: 'refused',
    discovers: ['id', 'login', 'name'],
  },
];

for (const { type, config, head, entry, cut, emptySource, discovers } of formats) {
  const write = (...entries: string[]) => source(type, head + entries.join(''), { ...config });
  const all = (people: readonly Person[]) => people.map((person) => entry(person));
  const odd = { login: 'odd', name: 'Odd', enabled: true };
  const spoiled = (bad: string) => (people: readonly Person[]) =>
    write(...all(people.slice(0, 2)), bad, ...all(people.slice(2)));
  conforms({
    name: type,
    open: () => connector(type, { ...config }),
    fill: (people) => void write(...all(people)),
    emptySource,
    secrets: [],
    discovers,
    readsOne: { unknownId: 'nobody' },
    changes: { unsupported: 'a local file has no version' },
    bad: {
      withoutId: spoiled(entry(odd)),
      ofWrongType: spoiled(entry({ ...odd, id: 'odd' }, 'retired')),
      tooLarge: spoiled(entry({ ...odd, id: 'large', name: 'x'.repeat(20_000) })),
    },
    reached: {
      over: 'files',
      cutWithin: (people, nth) => write(...all(people).slice(0, nth), cut(all(people)[nth] ?? '')),
      held: openFiles,
    },
  });
}
