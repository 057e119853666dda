import { describe, expect, it } from '@jest/globals';
import { diffFields } from './field-changes.js';

describe('the changes of a record', () => {
  it('are ordered by field, whatever the order in the source', () => {
    const changes = diffFields({ title: ['a'], phone: ['1'] }, { zip: ['3'], title: ['b'], email: ['x'] }, 'con_1');
    expect(changes).toEqual([
      { field: 'email', to: 'x', source: 'con_1' },
      { field: 'phone', from: '1', source: 'con_1' },
      { field: 'title', from: 'a', to: 'b', source: 'con_1' },
      { field: 'zip', to: '3', source: 'con_1' },
    ]);
  });

  it('contain a list if a field has several values, and not a list in another order', () => {
    const after = { groups: ['a', 'b'], roles: ['y', 'x'] };
    expect(diffFields({ groups: ['a'], roles: ['x', 'y'] }, after, 'con_1')).toEqual([
      { field: 'groups', from: 'a', to: ['a', 'b'], source: 'con_1' },
    ]);
  });
});
