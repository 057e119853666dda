import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeId, encodeId, isUuid, newUuid, uuidCreatedAt } from './ids.js';

describe('public ids', () => {
  it('can be decoded to the same uuid', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => expect(decodeId('user', encodeId('user', uuid))).toBe(uuid)));
  });

  it('match the example of the TypeID specification', () => {
    expect(encodeId('identity', '00000000-0000-0000-0000-000000000000')).toBe('idn_00000000000000000000000000');
    expect(encodeId('identity', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('idn_7zzzzzzzzzzzzzzzzzzzzzzzzz');
    expect(encodeId('identity', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('idn_01h455vb4pex5vsknk084sn02q');
  });

  it('are rejected with another prefix, length or alphabet, or with more than 128 bits', () => {
    for (const text of [
      'usr_01h455vb4pex5vsknk084sn02q',
      'idn_01h455vb4pex5vsknk084sn02',
      'idn_01H455VB4PEX5VSKNK084SN02Q',
      'idn_01h455vb4pex5vsknk084sn02l',
      'idn_80000000000000000000000000',
      '',
    ]) {
      expect(decodeId('identity', text)).toBeUndefined();
    }
  });

  it('are UUIDv7 in ascending order within a process', () => {
    const made = Array.from({ length: 10_000 }, () => newUuid());
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((uuid) => isUuid(uuid) && uuid.charAt(14) === '7' && '89ab'.includes(uuid.charAt(19)))).toBe(
      true,
    );
  });

  it('contain the time of their creation', () => {
    expect(uuidCreatedAt('01890a5d-ac96-774b-bcce-b302099a8057')).toBe(0x01890a5dac96);
    const began = Date.now();
    // The counter of a busy process may run ahead of its clock.
    expect(uuidCreatedAt(newUuid())).toBeGreaterThanOrEqual(began);
    expect(uuidCreatedAt('0e6a4b0c-6f6a-4f0e-9d54-0c6f2f0c9d1b')).toBeUndefined();
  });
});
