import { describe, expect, it } from '@jest/globals';
import { brokerAddresses } from './broker-addresses.js';

describe('the addresses of RabbitMQ', () => {
  it.each([
    ['amqp://user:pass@one:5672', ['amqp://user:pass@one:5672']],
    ['amqp://u:p@one:5672,amqp://u:p@two:5672', ['amqp://u:p@one:5672', 'amqp://u:p@two:5672']],
    [
      'amqps://u:a,b@one/?cacertfile=/ca.crt,amqps://u:a,b@two',
      ['amqps://u:a,b@one/?cacertfile=/ca.crt', 'amqps://u:a,b@two'],
    ],
  ])('of %s are its nodes', (text, addresses) => {
    expect(brokerAddresses(text)).toEqual(addresses);
  });
});
