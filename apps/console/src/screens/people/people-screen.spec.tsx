import { expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { pageOf, person, source } from '../../../test/documents';
import { type Answers, type FakeService, tenantId } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

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
