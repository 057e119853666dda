import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { evaluate, findingEvents, shownFindings, storedFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let apps: string;
let finding: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  apps = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
  await directory.sync(apps, [row('bot', {})]);
  await evaluate(directory);
  [{ id: finding } = { id: '' }] = await storedFindings(directory);
});

afterAll(() => directory?.close());

const accept = (until?: string) =>
  directory.operate('finding.accept', { finding_id: finding, reason: 'a test', by: 'Eva', ...(until && { until }) });
const reopen = () => directory.operate('finding.reopen', { finding_id: finding });

describe('an accepted finding', () => {
  it('stays accepted while its reason lasts, and shows the operator, the reason and the end', async () => {
    expect(await accept('2100-01-01T00:00:00Z')).toMatchObject({ status: 'done', result: { state: 'accepted' } });
    await evaluate(directory);
    const [row] = await directory.fixture.rows('select * from findings where id = $1', [finding]);
    expect(row).toMatchObject({
      state: 'accepted',
      accepted_by: 'Eva',
      accepted_reason: 'a test',
      accepted_at: expect.any(Date),
      accepted_until: new Date('2100-01-01T00:00:00Z'),
    });
  });

  it('is open again when the acceptance ends, with an event', async () => {
    await accept('2100-01-01T00:00:00Z');
    await evaluate(directory, '2099-12-31T23:59:59Z');
    expect(await shownFindings(directory)).toContain('machine_without_owner bot: accepted');
    await evaluate(directory, '2100-01-01T00:00:00Z');
    expect(await shownFindings(directory)).toContain('machine_without_owner bot: open');
    expect((await findingEvents(directory)).filter((event) => event.endsWith('machine_without_owner'))).toEqual([
      'finding.opened machine_without_owner',
      'finding.opened machine_without_owner',
    ]);
  });

  it('is resolved when its reason is gone, and the next one of the same subject is open', async () => {
    await accept();
    await directory.sync(apps, [row('bot', { status: 'disabled' })]);
    await evaluate(directory);
    expect(await shownFindings(directory)).toEqual(['machine_without_owner bot: resolved']);
    await directory.sync(apps, [row('bot', {})]);
    await evaluate(directory);
    expect(await shownFindings(directory)).toEqual([
      'machine_without_owner bot: open',
      'machine_without_owner bot: resolved',
    ]);
  });

  it('is open again when the acceptance is withdrawn, with an event that names the operation', async () => {
    await accept();
    const { id } = await reopen();
    expect(await shownFindings(directory)).toEqual(['machine_without_owner bot: open']);
    const [event] = await directory.fixture.rows<{ details: object }>(
      'select details from events where tenant_id = $1 order by sequence desc limit 1',
      [directory.tenant],
    );
    expect(event?.details).toMatchObject({ state: 'open', operation_id: expect.stringContaining('opn_') });
    expect(id).toBeTruthy();
  });
});

describe('a finding that is not accepted', () => {
  it('cannot be reopened, nor accepted once it is resolved', async () => {
    expect(await reopen()).toMatchObject({
      status: 'refused',
      result: { error: 'the finding is not accepted, it is open' },
    });
    await directory.sync(apps, [row('bot', { status: 'disabled' })]);
    await evaluate(directory);
    expect(await accept()).toMatchObject({ status: 'refused', result: { error: 'the finding is resolved' } });
  });
});
