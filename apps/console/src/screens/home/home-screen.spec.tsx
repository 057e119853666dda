import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { heldRun, pageOf, reviewCase, source, webhook } from '../../../test/documents';
import { type Answers, refusal, tenantId } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

const quiet: Answers = {
  'GET /connectors': pageOf(source),
  'GET /sync-jobs': pageOf(),
  'GET /cases': pageOf(),
  'GET /findings': { data: [], limit: 200 },
  'GET /webhooks': { data: [], total: 0 },
  'GET /identities': pageOf(),
  'GET /activity': { hours: [], complete: true },
};
const failing = { ...source, id: 'con_ad', name: 'Directory', health: 'failing' as const };
const finding = {
  id: 'fnd_1',
  kind: 'machine_without_owner' as const,
  state: 'open' as const,
  subject_id: 'mid_1',
  evidence: {},
  opened_at: heldRun.created_at,
};

/** The region of what needs the operator, once its data has arrived. */
const needsRegion = () => screen.findByRole('region', { name: 'What needs you' });

it('lists a held run, a failing source, a webhook, a case and findings, each with a link to where it is decided', async () => {
  renderScreen('', {
    answers: {
      ...quiet,
      'GET /connectors': pageOf(source, failing),
      'GET /sync-jobs': ({ query }) => pageOf(...(query.status === 'quarantined' ? [heldRun] : [])),
      'GET /cases': ({ query }) => pageOf(...(query.status === 'open' ? [reviewCase] : [])),
      'GET /findings': ({ query }) => ({ data: query.state === 'open' ? [finding] : [], limit: 200 }),
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

it.each(['/connectors', '/sync-jobs', '/cases', '/findings', '/webhooks'] as const)(
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
