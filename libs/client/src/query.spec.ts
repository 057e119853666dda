import { describe, expect, it } from '@jest/globals';
import { writeQuery } from './query.js';

describe('the query of a request', () => {
  it('has custom attributes under their names of the API', () => {
    const query = { status: 'active', attributes: { cost_center: '47 11', 'attributes.site': 'Oslo' } };
    expect(writeQuery(query)).toBe('status=active&attributes.cost_center=47%2011&attributes.site=Oslo');
  });

  it('has no parameter that is undefined', () => {
    expect(writeQuery({ cursor: undefined, limit: 5 })).toBe('limit=5');
  });
});
