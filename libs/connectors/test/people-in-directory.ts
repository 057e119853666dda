import { Attribute, Change, type Client } from 'ldapts';
import type { Person } from './conformance/source-under-test.js';

type Values = Record<string, string | string[]>;

interface Form {
  base: string;
  dn(login: string): string;
  entry(person: Person): Values;
  /** The naming attribute of the entries. */
  name: string;
}

/** People in a subtree of a directory. One of them always exists, because a directory without people is an error. */
export class PeopleInDirectory {
  readonly always: Person = { id: 'always', login: 'always', name: 'Always there', enabled: true };
  private readonly logins = new Map<string, string>();

  constructor(
    private readonly client: () => Client,
    private readonly form: Form,
  ) {}

  get base(): string {
    return this.form.base;
  }

  async begin(): Promise<void> {
    await this.client().add(this.base, { objectClass: 'organizationalUnit' });
    await this.add(this.always);
    this.logins.delete(this.always.id);
  }

  async fill(people: readonly Person[]): Promise<void> {
    for (const id of [...this.logins.keys()]) await this.remove(id);
    for (const person of people) await this.add(person);
  }

  async add(person: Person, change: Record<string, string | Buffer | undefined> = {}): Promise<void> {
    const entry = Object.entries({ ...this.form.entry(person), ...change }).filter(([, value]) => value !== undefined);
    const attributes = entry.map(([type, value]) => new Attribute({ type, values: [value].flat() as string[] }));
    await this.client().add(this.form.dn(person.login), attributes);
    this.logins.set(person.id, person.login);
  }

  /** A changed login renames the entry. */
  async put(person: Person): Promise<void> {
    const login = this.logins.get(person.id);
    if (login === undefined) return this.add(person);
    const { dn, name } = this.form;
    if (login !== person.login) await this.client().modifyDN(dn(login), dn(person.login));
    this.logins.set(person.id, person.login);
    const modification = new Attribute({ type: name, values: [person.name] });
    await this.client().modify(dn(person.login), new Change({ operation: 'replace', modification }));
  }

  async remove(id: string): Promise<void> {
    await this.client().del(this.form.dn(this.logins.get(id) ?? ''));
    this.logins.delete(id);
  }
}
