import { describe, expect, it } from '@jest/globals';
import { SourceError } from './connector.js';
import { createConnector } from './create-connector.js';

describe('createConnector', () => {
  const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
  const create = (change: object) =>
    createConnector({ type: 'csv', records: 'user', config: { ...config, ...change }, sourcesDir: '/nowhere' });

  it('opens no file', () => {
    expect(() => create({})).not.toThrow();
  });

  it('rejects a path outside the sources folder and an invalid config', () => {
    expect(() => create({ path: '../hr.csv' })).toThrow(new SourceError('path must not contain ".."'));
    expect(() => create({ fields: 'all' })).toThrow(SourceError);
    expect(() => create({ object_class: 'user' })).toThrow("the connector's config is invalid");
  });

  it('rejects a connector type of a newer version', () => {
    const type: string = 'gopher';
    expect(() => createConnector({ type: type as 'csv', records: 'user', config, sourcesDir: '/' })).toThrow(
      'unknown connector type "gopher"',
    );
  });
});
