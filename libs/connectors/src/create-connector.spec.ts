import { describe, expect, it } from '@jest/globals';
import { SourceError } from './connector.js';
import { createConnector } from './create-connector.js';

describe('creating a connector', () => {
  const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
  const create = (change: object) =>
    createConnector({ type: 'csv', records: 'user', config: { ...config, ...change }, sourcesDir: '/nowhere' });

  it('opens nothing yet', () => {
    expect(() => create({})).not.toThrow();
  });

  it('refuses a path that leaves the sources folder, and a config that is none', () => {
    expect(() => create({ path: '../hr.csv' })).toThrow(new SourceError('path must not contain ".."'));
    expect(() => create({ fields: 'all' })).toThrow(SourceError);
    expect(() => create({ object_class: 'user' })).toThrow("the connector's config is invalid");
  });

  it('refuses a type that was stored by a newer version', () => {
    const type: string = 'gopher';
    expect(() => createConnector({ type: type as 'csv', records: 'user', config, sourcesDir: '/' })).toThrow(
      'connectors of type "gopher" are unknown',
    );
  });
});
