import { expect, it } from '@jest/globals';
import { serviceClient } from './service-client.js';

it('the clients of a service are counted until they have ended', () => {
  const connections = { count: 0 };
  const Client = serviceClient(connections);
  const [first, second] = [new Client(), new Client()];
  expect(connections.count).toBe(2);
  for (const client of [first, first, second]) client.emit('end');
  expect(connections.count).toBe(0);
});

it('an error of an idle client does not end the process', () => {
  const client = new (serviceClient({ count: 0 }))();
  expect(() => client.emit('error', new Error('the connection is lost'))).not.toThrow();
});
