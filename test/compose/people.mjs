// A growing company as two files: people in HR, and their accounts in a directory.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class People {
  round = 0;

  constructor(folder, count) {
    this.folder = folder;
    this.count = count;
  }

  connectors() {
    const file = (name, records, priority, fields) => ({
      type: 'csv',
      name,
      records,
      priority,
      config: { path: `${records}.csv`, external_id: 'number', fields },
    });
    return [
      file('HR', 'user', 10, {
        employee_number: 'number',
        first_name: 'first',
        last_name: 'last',
        email: 'mail',
        job_title: 'title',
      }),
      file('Accounts', 'account', 20, { employee_number: 'number', identifier: 'login', display_name: 'name' }),
    ];
  }

  /** Adds `joining` people and changes title and name of `changing` existing ones. */
  async change({ joining = 0, changing = 0 }) {
    this.round += 1;
    this.count += joining;
    const changed = (index) => (index < changing ? this.round : 0);
    const users = this.#rows((n) => [...this.name(n).split(' '), this.mail(n), `Engineer ${changed(n)}`]);
    const accounts = this.#rows((n) => [`login${n}`, `Name ${n} ${changed(n)}`]);
    await this.#write('user.csv', ['number,first,last,mail,title', ...users]);
    await this.#write('account.csv', ['number,login,name', ...accounts]);
  }

  name(index) {
    return `Given${index} Family${index}`;
  }

  mail(index) {
    return `person${index}@compose.example`;
  }

  mails() {
    return Array.from({ length: this.count }, (_, index) => this.mail(index));
  }

  #rows(columns) {
    return Array.from({ length: this.count }, (_, index) => [100_000 + index, ...columns(index)].join(','));
  }

  /** Writes atomically, because a worker may be reading. */
  async #write(name, lines) {
    const path = join(this.folder, name);
    await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o644 });
    await rename(`${path}.new`, path);
  }
}
