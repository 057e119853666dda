import { expect, it } from '@jest/globals';
import { machineOf } from './person.js';

const machine = { id: 'mid_1' } as never;
const account = { id: 'acc_1' } as never;

it('is a machine if an identity has nothing else', () => {
  expect(machineOf({ users: [], accounts: [], machine_identities: [machine] })).toBe(machine);
  expect(machineOf({ users: [], accounts: [account], machine_identities: [machine] })).toBeUndefined();
  expect(machineOf({ users: [], accounts: [], machine_identities: [] })).toBeUndefined();
});
