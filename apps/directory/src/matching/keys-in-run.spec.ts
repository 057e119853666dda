import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import type { RecordChange } from '../record-change.js';
import { keysInRun } from './keys-in-run.js';
import type { Neighbourhood } from './neighbourhood.js';

const run = uuid(901);
const mail = { email: ['ann@x.org'] };

/** A neighbourhood in which the emails of a record are its match keys. */
function around(...changes: RecordChange[]): Neighbourhood {
  const keysOf = ({ fields }: StoredRecord) => (fields.email ?? []).map((value) => ({ kind: 'email', value }));
  return { changes: new Map(changes.map((change) => [change.record.id, change])), keysOf } as unknown as Neighbourhood;
}

/** A user that the run no longer lists: the tombstone has neither content nor keys. */
function unlisted(before: Partial<StoredRecord> = {}): RecordChange {
  const tombstone = storedRecord(1, { status: 'deleted', contentHash: Buffer.alloc(0) });
  return { record: tombstone, before: storedRecord(1, { fields: mail, ...before }) };
}

/** A user with the same email that the run added from the same source. */
function added(parts: Partial<StoredRecord> = {}): RecordChange {
  return { record: storedRecord(2, { fields: mail, linkedBy: run, ...parts }) };
}

function keysOf(change: RecordChange, others: RecordChange[], jobId: string | undefined = run): string[] {
  return keysInRun(around(change, ...others), jobId)(change).map(({ value }) => value);
}

describe('the match keys of a user in a run', () => {
  it('are those of the record if the source still lists it', () => {
    const record = storedRecord(1, { fields: { email: ['new@x.org'] } });
    const listed = { record, before: storedRecord(1, { fields: mail }) };
    expect(keysOf(listed, [added()])).toEqual(['new@x.org']);
  });

  it('include the email of an unlisted record if one new record of the run and source has it', () => {
    expect(keysOf(unlisted(), [added()])).toEqual(['ann@x.org']);
  });

  it.each<[string, RecordChange[]]>([
    ['no record has it', []],
    ['the record with it is of another source', [added({ connectorId: uuid(2) })]],
    ['an earlier run added the record with it', [added({ linkedBy: uuid(900) })]],
    ['two records have it', [added(), added({ id: uuid(3) })]],
    ['only an account has it', [added({ kind: 'account' })]],
    ['the record with it is removed too', [{ ...added(), removed: true }]],
    ['the new record has another one', [added({ fields: { email: ['bob@x.org'] } })]],
  ])('do not include the email of an unlisted record if %s', (_why, others) => {
    expect(keysOf(unlisted(), others)).toEqual([]);
  });

  it('do not include the email of a record that was deleted before, or that the source reports as deleted', () => {
    expect(keysOf(unlisted({ status: 'deleted' }), [added()])).toEqual([]);
    const gone = unlisted();
    const reported = { ...gone, record: { ...gone.record, contentHash: Buffer.alloc(16) } };
    expect(keysOf(reported, [added()])).toEqual([]);
  });

  it('do not include a lost email outside of a run', () => {
    const outside = keysInRun(around(unlisted(), added({ linkedBy: undefined })), undefined);
    expect(outside(unlisted())).toEqual([]);
  });
});
