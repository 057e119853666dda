import type { ConnectorInfo } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { uuid } from '../../test/stored-record.js';
import { rankSources } from './rank-sources.js';

const connector: ConnectorInfo = { id: uuid(1), type: 'csv', priority: 30, records: 'user', employments: false };
const forField = { field: 'email', connectorId: uuid(1), priority: 10 };
const forAll = { field: '*', connectorId: uuid(1), priority: 20 };

describe('the priority of a source for a field', () => {
  const rank = (priorities: (typeof forField)[], id = uuid(1), field = 'email') =>
    rankSources(new Map([[connector.id, connector]]), priorities)(id, field);

  it('is that of the tenant for the field, else that for all fields, else that of the connector', () => {
    expect(rank([forAll, forField])).toBe(10);
    expect(rank([forAll, forField], uuid(1), 'phone')).toBe(20);
    expect(rank([forField], uuid(1), 'phone')).toBe(30);
    expect(rank([])).toBe(30);
  });

  it('does not depend on the priorities of other connectors', () => {
    const others = [forAll, forField].map((each) => ({ ...each, connectorId: uuid(2) }));
    expect(rank(others)).toBe(30);
  });

  it('is 0 for a connector that was deleted', () => {
    expect(rank([], uuid(9))).toBe(0);
  });
});
