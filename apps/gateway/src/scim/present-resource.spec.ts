import { expect, it } from '@jest/globals';
import { selected } from './present-resource.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ada = {
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@work.example', type: 'work' },
    { value: 'ada@home.example', type: 'home' },
  ],
  nickNames: ['a', 'b'],
  [enterprise]: { department: 'Engines', costCenter: '7' },
};
const emails = (parts: object[]) => ({ emails: parts });
const values = emails([{ value: 'ada@work.example' }, { value: 'ada@home.example' }]);
const types = emails([{ type: 'work' }, { type: 'home' }]);
const without = (left: string) => Object.fromEntries(Object.entries(ada).filter(([name]) => name !== left));

it.each([
  [{}, ada],
  [{ only: ['username'] }, { userName: 'ada' }],
  [{ only: ['name.givenname'] }, { name: { givenName: 'Ada' } }],
  [{ only: ['emails.value'] }, values],
  [{ only: ['emails.value', 'emails'] }, emails(ada.emails)],
  [{ only: ['nicknames.value'] }, { nickNames: ['a', 'b'] }],
  [{ only: [`${enterprise.toLowerCase()}:department`] }, { [enterprise]: { department: 'Engines' } }],
  [{ only: ['title'] }, {}],
  [{ without: ['username'] }, without('userName')],
  [{ without: ['emails.value'] }, { ...ada, ...types }],
  [{ without: ['emails.type'] }, { ...ada, ...values }],
  [{ without: ['email'] }, ada],
  [{ without: [`${enterprise.toLowerCase()}:costcenter`] }, { ...ada, [enterprise]: { department: 'Engines' } }],
])('the attributes of a SCIM resource are reduced to the selection %j', (selection, expected) => {
  expect(selected(ada, selection)).toEqual(expected);
});
