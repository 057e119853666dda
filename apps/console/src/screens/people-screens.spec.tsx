import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { heldRun, pageOf, person, reviewCase, source, webhook } from '../../test/documents';
import { type Answers, type FakeService, refusal, tenantId } from '../../test/fake-service';
import { renderScreen } from '../../test/render-screen';

const quiet: Answers = {
  'GET /connectors': pageOf(source),
  'GET /sync-jobs': pageOf(),
  'GET /cases': pageOf(),
  'GET /findings/counts': { data: [] },
  'GET /webhooks': { data: [], total: 0 },
  'GET /identities': pageOf(),
  'GET /activity': { hours: [] },
};
const failing = { ...source, id: 'con_ad', name: 'Directory', health: 'failing' as const };

/** The region of what needs the operator, once its data has arrived. */
const needsRegion = () => screen.findByRole('region', { name: 'What needs you' });

it('lists a held run, a failing source, a webhook, a case and findings, each with a link to where it is decided', async () => {
  renderScreen('', {
    answers: {
      ...quiet,
      'GET /connectors': pageOf(source, failing),
      'GET /sync-jobs': ({ query }) => pageOf(...(query.status === 'quarantined' ? [heldRun] : [])),
      'GET /cases': ({ query }) => pageOf(...(query.status === 'open' ? [reviewCase] : [])),
      'GET /findings/counts': { data: [{ kind: 'machine_without_owner', count: 1, exact: true }] },
      'GET /webhooks': { data: [{ ...webhook, dead: { count: 3, exact: true } }], total: 1 },
    },
  });
  const links = within(await needsRegion()).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['A run of HR is held', `/console/${tenantId}/runs/job_held/plan`],
    ['Directory cannot be read', `/console/${tenantId}/sources/con_ad`],
    ['3 deliveries to receiver.example.com are dead', `/console/${tenantId}/webhooks/whk_1`],
    ['Zoë Müller may be the same person as Zoe Muller', `/console/${tenantId}/cases`],
    ['1 machine has no owner', `/console/${tenantId}/findings?kind=machine_without_owner`],
  ]);
});

it('says that nothing needs the operator when every source, webhook and case is in order', async () => {
  renderScreen('', { answers: { ...quiet, 'GET /webhooks': { data: [webhook], total: 1 } } });
  const needs = within(await needsRegion());
  expect(needs.getByText('Nothing needs you')).toBeDefined();
  expect(needs.queryByRole('link')).toBeNull();
});

it('asks for the first source when none is connected', async () => {
  renderScreen('', { answers: { ...quiet, 'GET /connectors': pageOf() } });
  expect(within(await needsRegion()).getByText('Connect your first source')).toBeDefined();
  expect(screen.queryByRole('table', { name: 'Sources' })).toBeNull();
});

it.each(['/connectors', '/sync-jobs', '/cases', '/findings/counts', '/webhooks'] as const)(
  'shows the error instead of an incomplete list when %s is refused, and reads it again on request',
  async (path) => {
    let isRefused = true;
    const given = quiet[`GET ${path}`];
    const { user } = renderScreen('', {
      answers: { ...quiet, [`GET ${path}`]: () => (isRefused ? refusal(403, 'role viewer needed') : given) },
    });
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getByText('role viewer needed')).toBeDefined();
    expect(screen.queryByRole('region', { name: 'What needs you' })).toBeNull();
    isRefused = false;
    await user.click(alert.getByRole('button', { name: 'Try again' }));
    await needsRegion();
  },
);

describe('the list of people', () => {
  const other = { ...person, id: 'idn_2', display_name: 'Grace Hopper' };
  const matches = (name: string | undefined, start = '') => name?.toLowerCase().startsWith(start) ?? false;
  const answers: Answers = {
    'GET /connectors': pageOf(source),
    'GET /identities': ({ query }) =>
      pageOf(...[person, other].filter(({ display_name }) => matches(display_name, query.q))),
  };

  /** The filters of each request for people, without the page. */
  const requested = ({ asked }: FakeService) =>
    asked
      .filter(({ path }) => path === '/identities')
      .map(({ query: { limit: _limit, cursor: _cursor, ...filters } }) => filters);

  it('lists people, each with a link to the person', async () => {
    renderScreen('/people', { role: 'viewer', answers });
    const link = await screen.findByRole('link', { name: 'Ada Byron' });
    expect(link.getAttribute('href')).toBe(`/console/${tenantId}/people/idn_1`);
    expect(screen.getByText('2 in total')).toBeDefined();
  });

  it('writes what is searched into the URL and into the request', async () => {
    const { service, user } = renderScreen('/people', { role: 'viewer', answers });
    await screen.findByRole('link', { name: 'Ada Byron' });
    await user.type(screen.getByRole('searchbox', { name: 'Search people' }), 'grace');
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Ada Byron' })).toBeNull());
    await screen.findByRole('link', { name: 'Grace Hopper' });
    expect(location.search).toBe('?q=grace');
    expect(requested(service)).toEqual([{}, { q: 'grace' }]);
  });

  it.each([
    { filter: 'Status', choice: 'Suspended', search: '?status=suspended' },
    { filter: 'Source', choice: 'HR', search: '?source=con_hr' },
  ])('writes the chosen $filter into the URL and into the request', async ({ filter, choice, search }) => {
    const { service, user } = renderScreen('/people', { role: 'viewer', answers });
    await screen.findByRole('option', { name: choice });
    await user.selectOptions(screen.getByRole('combobox', { name: filter }), choice);
    await waitFor(() => expect(location.search).toBe(search));
    await screen.findByText('2 found');
    expect(requested(service).at(-1)).toEqual(Object.fromEntries(new URLSearchParams(search)));
  });

  it('requests and shows the filters of the URL', async () => {
    const { service } = renderScreen('/people?q=ada&status=active&source=con_hr', { role: 'viewer', answers });
    await screen.findByRole('link', { name: 'Ada Byron' });
    await screen.findByRole('option', { name: 'HR' });
    expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search people' }).value).toBe('ada');
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Status' }).value).toBe('active');
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Source' }).value).toBe('con_hr');
    expect(requested(service)).toEqual([{ q: 'ada', status: 'active', source: 'con_hr' }]);
  });

  it('ignores a status of the URL that does not exist', async () => {
    const { service } = renderScreen('/people?status=gone', { role: 'viewer', answers });
    await screen.findByText('2 in total');
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Status' }).value).toBe('');
    expect(requested(service)).toEqual([{}]);
  });

  it('removes a filter from the URL and the request when any value is chosen', async () => {
    const { service, user } = renderScreen('/people?status=active', { role: 'viewer', answers });
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'Any');
    await screen.findByText('2 in total');
    expect(location.search).toBe('');
    expect(requested(service)).toEqual([{ status: 'active' }, {}]);
  });

  it.each([
    { path: '/people?q=nobody', text: 'No person matches' },
    { path: '/people', text: 'No people yet' },
  ])('says “$text” for an empty list at $path', async ({ path, text }) => {
    renderScreen(path, { role: 'viewer', answers: { ...answers, 'GET /identities': pageOf() } });
    await screen.findByText(text);
  });
});

describe('the screen of cases', () => {
  const operation = {
    operation_id: 'opr_1',
    type: 'resolve_case',
    status: 'done' as const,
    created_at: reviewCase.opened_at,
  };
  const answers: Answers = {
    'GET /connectors': pageOf(source),
    'GET /cases': pageOf(reviewCase),
    'GET /cases/{caseId}': {
      ...reviewCase,
      candidates: [
        {
          identity_id: 'idn_2',
          display_name: 'Zoe Muller',
          score: 1,
          evidence: [],
          compared: [
            { field: 'email', value: 'zoe@example.com', other: 'zoe@example.com', agrees: true },
            { field: 'last_name', value: 'Müller', other: 'Muller', agrees: false },
            { field: 'job_title', other: 'Clerk' },
          ],
        },
      ],
    },
    'POST /cases/{caseId}/resolve': operation,
    'POST /operations/{operationId}/revert': operation,
  };

  it('compares the values of the record with those of each candidate', async () => {
    renderScreen('/cases', { answers });
    const table = within(await screen.findByRole('region', { name: 'Record and candidates' }));
    const row = async (name: string) => (await table.findByRole('row', { name: new RegExp(`^${name}`) })).textContent;
    expect(await row('email')).toBe('emailzoe@example.comzoe@example.com = same');
    expect(await row('last_name')).toBe('last_nameMüllerMuller ≠ differs');
    expect(await row('job_title')).toBe('job_title—Clerk');
  });

  it.each([
    { button: /^Same as Zoe Muller/, key: '1', body: { resolution: 'link', identity_id: 'idn_2' }, done: 'Linked' },
    { button: /^Keep apart/, key: 'n', body: { resolution: 'new' }, done: 'Kept apart' },
    { button: /^Ignore/, key: 'i', body: { resolution: 'ignore' }, done: 'Ignored' },
  ])('decides a case as $body.resolution by its button and by the key $key', async ({ button, key, body, done }) => {
    const { service, user } = renderScreen('/cases', { role: 'operator', answers });
    await user.click(await screen.findByRole('button', { name: button }));
    await screen.findByText(`${done}. Press u to undo.`);
    await screen.findByRole('button', { name: button });
    await user.keyboard(key);
    await waitFor(() => expect(service.sent('POST')).toHaveLength(2));
    const sent = { path: '/cases/cas_1/resolve', body };
    expect(service.sent('POST')).toMatchObject([sent, sent]);
  });

  it('reports whose access a decision has changed', async () => {
    const change = (at: number) => ({ identity_id: `idn_${at}`, name: `Ann ${at}`, from: 'active', to: 'inactive' });
    const result = { access_changes: [1, 2, 3, 4].map(change), access_changes_total: 5 };
    const { user } = renderScreen('/cases', {
      answers: { ...answers, 'POST /cases/{caseId}/resolve': { ...operation, result } },
    });
    await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
    await screen.findByText(/^Access changed: Ann 1: active → inactive, Ann 2: .*, Ann 3: .*, and 2 more\.$/);
  });

  it('undoes the last decision by the key u', async () => {
    const { service, user } = renderScreen('/cases', { role: 'operator', answers });
    await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
    await screen.findByRole('button', { name: /^Undo/ });
    await user.keyboard('u');
    await screen.findByText('Undone. The case is open again.');
    expect(service.sent('POST').map(({ path }) => path)).toEqual(['/cases/cas_1/resolve', '/operations/opr_1/revert']);
  });

  it('shows the reason when the directory refuses the decision, and offers no undo', async () => {
    const refused = { ...operation, status: 'refused' as const, result: { error: 'the case is closed' } };
    const { user } = renderScreen('/cases', { answers: { ...answers, 'POST /cases/{caseId}/resolve': refused } });
    await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
    await screen.findByText('the case is closed');
    expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull();
  });

  it('lets a viewer read a case but not decide it, by button or key', async () => {
    const { service, user } = renderScreen('/cases', { role: 'viewer', answers });
    await screen.findByRole('row', { name: /^email/ });
    expect(screen.queryByRole('button', { name: /Same as|Keep apart|Ignore/ })).toBeNull();
    await user.keyboard('1ni');
    expect(service.sent('POST')).toEqual([]);
  });

  it('says that no case is open when the list is empty', async () => {
    renderScreen('/cases', { answers: { ...answers, 'GET /cases': pageOf() } });
    await screen.findByText('No case is open');
  });
});

describe('the form of source precedence', () => {
  const operation = { operation_id: 'opn_1', type: 'attributes.rank', created_at: '2026-11-29T08:00:00.000Z' };
  const access_changes = Array.from({ length: 12 }, (_, at) => ({
    identity_id: `idn_${at}`,
    name: `Ann ${at}`,
    from: 'active',
    to: 'inactive',
  }));
  const held = {
    ...operation,
    status: 'held' as const,
    result: { held: 'take access from 40 of 60 people', access_changes, access_changes_total: 40 },
  };
  const answers: Answers = {
    'GET /connectors': pageOf(source),
    'GET /approvals': pageOf(),
    'GET /matching-rules': { certain: [], weak: [], keys: [], stop_values: [], several_employments: 'primary' },
    'GET /attribute-priorities': { priorities: [{ field: 'status', connector_id: source.id, priority: 5 }] },
    'PUT /attribute-priorities': held,
    'POST /operations/{operationId}/confirm': { ...operation, status: 'done' },
  };

  async function change() {
    const rendered = renderScreen('/rules?view=precedence', { answers });
    const { user } = rendered;
    await user.click(await screen.findByRole('button', { name: 'Remove status' }));
    await user.click(screen.getByRole('button', { name: 'Apply…' }));
    await user.click(await screen.findByRole('button', { name: 'Apply' }));
    const dialog = within(await screen.findByRole('alertdialog', { name: 'The access of 40 people would change' }));
    return { ...rendered, dialog };
  }

  it('shows whose access would change by a change that is held, and performs it for a reason', async () => {
    const { user, service, dialog } = await change();
    expect(dialog.getByText(/take access from 40 of 60 people/)).toBeTruthy();
    const listed = within(dialog.getByRole('list', { name: 'People whose access would change' })).getAllByRole(
      'listitem',
    );
    expect(listed).toHaveLength(10);
    expect(listed[0]?.textContent).toContain('Ann 0');
    expect(dialog.getByText(/and 30 more/)).toBeTruthy();
    await user.type(dialog.getByLabelText('Reason'), 'they left');
    await user.click(dialog.getByRole('button', { name: 'Confirm' }));
    await screen.findByText('The source precedence was changed.');
    expect(service.sent('POST')).toMatchObject([{ path: '/operations/opn_1/confirm', body: { reason: 'they left' } }]);
  });

  it('changes nothing if the operator does not confirm it', async () => {
    const { user, service, dialog } = await change();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await screen.findByText('Nothing was changed, because it was not confirmed.');
    expect(service.sent('POST')).toEqual([]);
  });
});
