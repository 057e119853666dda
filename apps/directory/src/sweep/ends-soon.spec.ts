import { defaultLifecyclePolicy, safeguard } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { storedRecord } from '../../test/stored-record.js';
import { withSoonEnd } from './ends-soon.js';
import { destructiveActionOf } from './guard.js';

const now = new Date('2026-11-29T15:00:00Z');
const fieldsOf = (end: string | undefined) => ({ ...(end && { termination_date: [end] }) });
const actionOf = ([was, end]: [string | undefined, string | undefined], { hours = 24, status = 'active' } = {}) =>
  destructiveActionOf(
    withSoonEnd(
      {
        before: storedRecord(1, { status, fields: fieldsOf(was) }),
        record: storedRecord(1, { status, fields: fieldsOf(end) }),
      },
      safeguard.parse({ within_hours: hours }),
      { policy: defaultLifecyclePolicy, now },
    ),
  );

describe('a change of the termination date', () => {
  it.each([
    ['in some seconds', '2026-11-29T15:00:40.000Z', 'disable'],
    ['within the hours of the safeguard', '2026-11-30T14:59:00.000Z', 'disable'],
    ['later', '2026-11-30T15:01:00.000Z', undefined],
    ['today', '2026-11-29T00:00:00.000Z', 'disable'],
    ['tomorrow', '2026-11-30T00:00:00.000Z', 'disable'],
    ['the day after tomorrow', '2026-12-01T00:00:00.000Z', undefined],
  ])('to %s disables the user: %s', (_, end, action) => {
    expect(actionOf([undefined, end])).toBe(action);
    expect(actionOf(['2027-06-30T00:00:00.000Z', end])).toBe(action);
    expect(actionOf([undefined, end], { status: 'inactive' })).toBeUndefined();
  });

  it('counts once, and neither if it was soon before nor if each run counts separately', () => {
    const soon: [string, string] = ['2026-11-30T00:00:00.000Z', '2026-11-29T16:00:00.000Z'];
    expect(actionOf(soon)).toBeUndefined();
    expect(actionOf([undefined, soon[1]], { hours: 0 })).toBeUndefined();
  });
});
