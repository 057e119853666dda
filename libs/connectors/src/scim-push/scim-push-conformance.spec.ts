import { conforms } from '../../test/conformance/conforms.js';
import type { Person } from '../../test/conformance/source-under-test.js';
import { Pushes } from '../../test/pushes.js';

let pushes = new Pushes();
const numbers = new Map<string, number>();

function put({ id, login, name, enabled }: Person): void {
  const number = numbers.get(id) ?? numbers.size + 1;
  numbers.set(id, number);
  pushes.push(number, { userName: login, displayName: name, active: enabled });
}

function remove(id: string): void {
  pushes.push(numbers.get(id) ?? 0, undefined);
}

function fill(people: readonly Person[]): void {
  pushes = new Pushes();
  numbers.clear();
  for (const person of people) put(person);
}

conforms({
  name: 'scim-push',
  open: () => pushes.connector(),
  fill,
  emptySource: 'complete',
  secrets: [],
  discovers: ['userName', 'displayName'],
  readsOne: { unknownId: 'scr_00000000000000000000000099' },
  changes: {
    reports: 'everything',
    put,
    remove,
    expire() {
      put({ id: 'gone', login: 'gone', name: 'Gone', enabled: true });
      remove('gone');
      pushes.forgetDeletions();
    },
  },
  bad: {
    withoutId: { unsupported: 'idsync assigns the ids' },
    ofWrongType: { unsupported: 'a push with a wrong type is rejected' },
    tooLarge(people) {
      fill(people);
      put({ id: 'odd', login: 'odd', name: 'x'.repeat(20_000), enabled: true });
      return pushes.connector();
    },
  },
  reached: { over: 'ourselves' },
});
