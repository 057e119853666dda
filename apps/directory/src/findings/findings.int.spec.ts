import { encodeId, type FindingKind, newUuid } from '@idsync/contracts';
import { openFindings } from '@idsync/database/directory';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { evaluate, findingEvents, shownFindings, storedFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';

const directory = Harness.ofFile();
let hr: string;
let logins: string;
let apps: string;

describe('findings of each kind', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    logins = await directory.fixture.connector(directory.tenant, { name: 'AD', records: 'account' });
    apps = await directory.fixture.connector(directory.tenant, { name: 'Apps', records: 'machine_identity' });
  });

  const ann = (values: Record<string, string> = {}) => row('ann', { email: 'ann@x.org', ...values });
  const account = (values: Record<string, string> = {}) => row('alee', { email: 'ann@x.org', ...values });
  const bot = (values: Record<string, string> = {}) => row('bot', { owned_by: 'ann', ...values });

  describe('findings of two kinds about one subject', () => {
    it('are both open, and each only once', async () => {
      const subjectId = newUuid();
      const found = (kind: FindingKind) => ({ kind, subjectId, evidence: {} });
      const opened = (...kinds: FindingKind[]) =>
        directory.database.transaction(directory.tenant, async (tx) =>
          (await openFindings(tx, kinds.map(found), new Date())).map(({ kind }) => kind),
        );
      expect(await opened('unmatched_account')).toEqual(['unmatched_account']);
      expect(await opened('unmatched_account', 'leaver_with_account')).toEqual(['leaver_with_account']);
    });
  });

  describe('a leaver with an account', () => {
    beforeEach(async () => {
      await directory.sync(hr, [ann()]);
      await directory.sync(logins, [account()]);
    });

    it('is a finding about the account, with the person and the time as evidence, until the account is disabled', async () => {
      await evaluate(directory);
      expect(await storedFindings(directory)).toEqual([]);
      await directory.sync(hr, [ann({ status: 'inactive' })]);
      await evaluate(directory);
      const [finding] = await storedFindings(directory);
      expect(finding).toMatchObject({ kind: 'leaver_with_account', state: 'open', subject: 'alee' });
      expect(finding?.evidence).toEqual({
        connector_id: encodeId('connector', logins),
        account_status: 'active',
        identity_id: encodeId('identity', await directory.identityOf('ann')),
        identity_status: 'inactive',
        left_at: expect.any(String),
      });
      await directory.sync(logins, [account({ status: 'disabled' })]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['leaver_with_account alee: resolved']);
    });

    it('has the termination date of the last employment as the time of leaving', async () => {
      const ended = '2025-10-31T00:00:00.000Z';
      await directory.sync(hr, [ann({ termination_date: ended })]);
      await evaluate(directory);
      expect((await storedFindings(directory)).map(({ evidence }) => evidence.left_at)).toEqual([ended]);
    });

    it('is opened once, also by evaluations of several processes at the same time', async () => {
      await directory.sync(hr, [ann({ status: 'inactive' })]);
      await Promise.all([evaluate(directory), evaluate(directory), evaluate(directory)]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['leaver_with_account alee: open']);
      expect(await findingEvents(directory)).toEqual(['finding.opened leaver_with_account']);
    });

    it('shows a changed status of the account in its evidence without another event', async () => {
      await directory.sync(hr, [ann({ status: 'inactive' })]);
      await evaluate(directory);
      await directory.sync(logins, [account({ status: 'locked' })]);
      await evaluate(directory);
      expect((await storedFindings(directory)).map(({ evidence }) => evidence.account_status)).toEqual(['locked']);
      expect(await findingEvents(directory)).toEqual(['finding.opened leaver_with_account']);
    });

    it('is resolved when the person returns, and is a new finding when they leave again', async () => {
      for (const status of ['inactive', 'active', 'inactive']) {
        await directory.sync(hr, [ann({ status })]);
        await evaluate(directory);
      }
      expect((await storedFindings(directory)).map(({ state }) => state)).toEqual(['resolved', 'open']);
      expect(await findingEvents(directory)).toEqual([
        'finding.opened leaver_with_account',
        'finding.resolved leaver_with_account',
        'finding.opened leaver_with_account',
      ]);
    });

    it('is resolved when the person is erased, and its events contain no value of the person', async () => {
      await directory.sync(hr, [ann({ status: 'inactive' })]);
      await evaluate(directory);
      await directory.operate('identity.erase', { identity_id: await directory.identityOf('ann') });
      await evaluate(directory);
      expect((await storedFindings(directory)).map(({ state }) => state)).toEqual(['resolved']);
      const traces = await directory.fixture.rows(
        // Random ids may contain these letters, but do not begin with them.
        `select evidence::text as text from findings where evidence::text ~ '\\m(ann|alee)'
       union all select details::text from events where type like 'finding.%' and details::text ~ '\\m(ann|alee)'`,
      );
      expect(traces).toEqual([]);
    });
  });

  describe('an account of a person who is pending', () => {
    const [before, start, after] = ['2026-11-29T00:00:00Z', '2027-01-01T00:00:00.000Z', '2027-01-02T00:00:00Z'];
    const later = ann({ employee_number: '17', hire_date: start });
    let staff: string;
    beforeEach(async () => {
      staff = await directory.fixture.connector(directory.tenant, { name: 'Staff', priority: 5, employments: true });
    });
    const found = async (at = before) => {
      await evaluate(directory, at);
      return shownFindings(directory);
    };

    it('is no finding before a first employment, whatever a directory says', async () => {
      const people = await directory.fixture.connector(directory.tenant, { name: 'Directory', priority: 20 });
      await directory.sync(people, [row('ann-ad', { employee_number: '17', status: 'inactive' })], before);
      await directory.sync(staff, [later], before);
      await directory.sync(logins, [account()], before);
      expect(await found()).toEqual([]);
    });

    it('is a finding after an employment that has ended, until the next one begins', async () => {
      const contractors = await directory.fixture.connector(directory.tenant, { priority: 20, employments: true });
      const ended = '2026-10-31T00:00:00.000Z';
      await directory.sync(contractors, [row('c1', { employee_number: '17', termination_date: ended })], before);
      await directory.sync(staff, [later], before);
      await directory.sync(logins, [account()], before);
      expect(await found()).toEqual(['leaver_with_account alee: open']);
      const [finding] = await storedFindings(directory);
      expect(finding?.evidence).toMatchObject({ identity_status: 'pending', left_at: ended });
      await applyDue(directory.database, directory.tenant, new Date(start));
      expect(await found(after)).toContain('leaver_with_account alee: resolved');
    });

    it('is a finding if the person has lost access by a hire date in the future', async () => {
      await directory.sync(staff, [ann({ employee_number: '17' })], before);
      await directory.sync(logins, [account()], before);
      await directory.sync(staff, [later], '2026-11-30T00:00:00Z');
      expect(await found('2026-11-30T00:00:00Z')).toEqual(['leaver_with_account alee: open']);
      const [finding] = await storedFindings(directory);
      expect(finding?.evidence).toMatchObject({ identity_status: 'pending', left_at: '2026-11-30T00:00:00.000Z' });
    });
  });

  describe('an account without a person', () => {
    it('is a finding after the hours of the policy, and resolved when its person is added', async () => {
      await directory.sync(logins, [account()], '2026-01-01T00:00:00Z');
      await evaluate(directory, '2026-01-01T23:59:59Z');
      expect(await shownFindings(directory)).toEqual([]);
      await evaluate(directory, '2026-01-02T00:00:00Z');
      expect(await shownFindings(directory)).toEqual(['unmatched_account alee: open']);
      await directory.sync(hr, [ann()], '2026-01-02T01:00:00Z');
      await evaluate(directory, '2026-01-02T02:00:00Z');
      expect(await shownFindings(directory)).toEqual(['unmatched_account alee: resolved']);
    });

    it('is a finding at once if the policy says 0 hours, and none while it is disabled', async () => {
      await directory.fixture.rows('insert into finding_policies values ($1, $2, now())', [
        directory.tenant,
        '{"unmatched_account_hours": 0}',
      ]);
      await directory.sync(logins, [account(), row('old', { status: 'disabled' })]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['unmatched_account alee: open']);
    });
  });

  describe('a leaver of HR that another source of people still lists', () => {
    const inHr = () => ann({ employee_number: '17' });
    const inAd = (status = 'active') => row('ann-ad', { employee_number: '17', status });
    const kinds = async () => {
      await evaluate(directory);
      return shownFindings(directory);
    };

    it('is a finding about the user that keeps the person active, until that one leaves too', async () => {
      const ad = await directory.fixture.connector(directory.tenant, { name: 'AD users', priority: 20 });
      await directory.sync(hr, [inHr()]);
      await directory.sync(ad, [inAd()]);
      expect(await kinds()).toEqual([]);
      await wholeRun(directory, hr, [[row('bo', {})]]);
      expect(await kinds()).toEqual(['leaver_in_other_source ann-ad: open']);
      const [finding] = await storedFindings(directory);
      expect(finding?.evidence).toEqual({
        connector_id: encodeId('connector', ad),
        deleted_user_id: encodeId('user', (await directory.record('ann')).id),
        deleted_connector_id: encodeId('connector', hr),
        left_at: expect.any(String),
      });
      await directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [hr]);
      expect(await kinds()).toEqual(['leaver_in_other_source ann-ad: open']);
      await directory.sync(ad, [inAd('inactive')]);
      expect(await kinds()).toEqual(['leaver_in_other_source ann-ad: resolved']);
    });

    it('stays a finding when HR is deleted after its run was undone', async () => {
      const ad = await directory.fixture.connector(directory.tenant, { name: 'AD users', priority: 20 });
      const job_id = await directory.sync(hr, [inHr()]);
      await directory.sync(ad, [inAd()]);
      await directory.operate('job.undo', { job_id, preview: false });
      await directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [hr]);
      expect(await kinds()).toEqual(['leaver_in_other_source ann-ad: open']);
    });

    it('is none if a source of lower precedence has deleted the person', async () => {
      const ad = await directory.fixture.connector(directory.tenant, { name: 'AD users', priority: 20 });
      await directory.sync(hr, [inHr()]);
      await directory.sync(ad, [inAd()]);
      await wholeRun(directory, ad, [[row('bo', {})]]);
      expect(await kinds()).toEqual([]);
    });
  });

  describe('a person or account with an attribute of machines', () => {
    const spn = { 'attributes.machine_attribute': 'servicePrincipalName' };

    it('is a finding that names the attribute, until the source removes it', async () => {
      await directory.sync(hr, [ann()]);
      await directory.sync(logins, [account()]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual([]);
      await directory.sync(hr, [ann(spn)]);
      await directory.sync(logins, [account(spn)]);
      await evaluate(directory);
      const found = await storedFindings(directory);
      expect(found.map(({ kind }) => kind).sort()).toEqual(['account_looks_like_machine', 'user_looks_like_machine']);
      for (const { kind, evidence } of found) {
        const connector = encodeId('connector', kind.startsWith('user') ? hr : logins);
        expect(evidence).toEqual({ connector_id: connector, attribute: 'servicePrincipalName' });
      }
      await directory.sync(hr, [ann()]);
      await directory.sync(logins, [account()]);
      await evaluate(directory);
      expect((await storedFindings(directory)).map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    });
  });

  describe('a person that a source lists twice', () => {
    const [first, second] = [ann({ employee_number: '17' }), row('ann2', { employee_number: '17' })];

    it('is a finding about the later user while both are present', async () => {
      await directory.sync(hr, [first]);
      await directory.sync(hr, [first, second]);
      await evaluate(directory);
      const [finding] = await storedFindings(directory);
      expect(finding).toMatchObject({ kind: 'duplicate_in_source', subject: 'ann2', state: 'open' });
      expect(finding?.evidence.earlier_user_ids).toEqual([encodeId('user', (await directory.record('ann')).id)]);
      await directory.sync(hr, [first, { ...second, fields: { ...second.fields, status: ['inactive'] } }]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['duplicate_in_source ann2: resolved']);
    });

    it('is a finding too if the two are not joined', async () => {
      await directory.sync(hr, [row('1', { employee_number: '17', first_name: 'Jan', last_name: 'Mueller' })]);
      await directory.sync(hr, [row('2', { employee_number: '17', first_name: 'Ute', last_name: 'Mueller' })]);
      await evaluate(directory);
      expect(await directory.people()).toEqual([['1'], ['2']]);
      expect(await shownFindings(directory)).toEqual(['duplicate_in_source 2: open']);
    });

    it('is no finding across sources', async () => {
      const other = await directory.fixture.connector(directory.tenant);
      await directory.sync(hr, [first]);
      await directory.sync(other, [second]);
      await evaluate(directory);
      expect(await storedFindings(directory)).toEqual([]);
    });
  });

  describe('a machine identity', () => {
    it('without a known owner is a finding until the owner is added', async () => {
      await directory.sync(apps, [bot(), row('old', { status: 'disabled' })]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['machine_without_owner bot: open']);
      await directory.sync(hr, [ann()]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['machine_without_owner bot: resolved']);
    });

    it('of a leaver is a finding, also after a handover, until its source names another owner', async () => {
      await directory.sync(hr, [ann(), row('bob', { email: 'bob@x.org' })]);
      await directory.sync(apps, [bot({ technical_inheritor: 'bob' })]);
      await directory.sync(hr, [ann({ status: 'inactive' })]);
      await evaluate(directory);
      const [finding] = await storedFindings(directory);
      expect(finding).toMatchObject({ kind: 'leaver_with_machine_secret', subject: 'bot', state: 'open' });
      expect(finding?.evidence).toMatchObject({
        identity_status: 'inactive',
        handed_over: true,
        machine_status: 'active',
      });
      await directory.sync(apps, [bot({ owned_by: 'bob' })]);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['leaver_with_machine_secret bot: resolved']);
    });
  });

  describe('a source that was not read completely', () => {
    const stale = async () => (await shownFindings(directory)).filter((each) => each.startsWith('stale_source'));

    beforeEach(async () => {
      await directory.fixture.rows(`update connectors set created_at = '2026-01-01' where tenant_id = $1`, [
        directory.tenant,
      ]);
      await directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [apps]);
      await directory.fixture.rows(`update connectors set type = 'scim-push' where id = $1`, [logins]);
    });

    it('for 36 hours is a finding until the next complete read; pushed and deleted sources are none', async () => {
      await evaluate(directory, '2026-01-02T11:59:59Z');
      expect(await stale()).toEqual([]);
      await evaluate(directory, '2026-01-02T12:00:00Z');
      expect(await stale()).toEqual(['stale_source HR: open']);
      await directory.fixture.rows(
        `insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, '2026-01-02T13:00:00Z')`,
        [hr, directory.tenant],
      );
      await evaluate(directory, '2026-01-02T14:00:00Z');
      expect(await stale()).toEqual(['stale_source HR: resolved']);
      expect(await findingEvents(directory)).toEqual(['finding.opened stale_source', 'finding.resolved stale_source']);
    });

    it('is a finding after the hours that the policy gives its connector', async () => {
      await directory.fixture.rows('insert into finding_policies values ($1, $2, now())', [
        directory.tenant,
        JSON.stringify({ connector_stale_hours: [{ connector_id: hr, hours: 180 }] }),
      ]);
      await evaluate(directory, '2026-01-08T11:59:59Z');
      expect(await stale()).toEqual([]);
      await evaluate(directory, '2026-01-08T12:00:00Z');
      expect(await stale()).toEqual(['stale_source HR: open']);
    });
  });
});

describe('acceptances', () => {
  let finding: string;

  beforeEach(async () => {
    await directory.newTenant();
    apps = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
    await directory.sync(apps, [row('bot', {})]);
    await evaluate(directory);
    [{ id: finding } = { id: '' }] = await storedFindings(directory);
  });

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
});
