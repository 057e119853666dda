import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { z } from 'zod';
import { openApiDocument } from './openapi.js';
import * as requests from './requests.js';
import { routes } from './routes.js';
import { receivedEvents, topicGroups, topicOf, topics } from './topics.js';

/** Returns the parsed input, or the path and text of the first complaint. */
function parsed(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return `${issue?.path.join('.')}: ${issue?.message}`;
}

describe('queries of lists', () => {
  it('have a page of 50 from the start, and at most 200', () => {
    expect(parsed(requests.directoryQuery, {})).toMatchObject({ limit: 50, offset: 0 });
    expect(parsed(requests.directoryQuery, { limit: '1000' })).toMatchObject({ limit: 200 });
  });

  it.each([
    ['limit of zero', { limit: '0' }, 'limit: must be an integer of at least 1'],
    ['repeated limit', { limit: ['1', '2'] }, 'limit: must be an integer of at least 1'],
    ['unknown status', { status: 'gone' }, 'status: must be one of pending, active, suspended, inactive, deleted'],
    [
      'date without a time',
      { updated_since: '2026-01-31' },
      'updated_since: must be a date-time such as 2026-01-31T12:00:00Z',
    ],
    ['search for one letter', { q: ' a ' }, 'q: must have at least two letters or digits'],
    ['external id without a connector', { external_id: '7' }, 'external_id: must be given together with connector_id'],
    [
      'connector without an external id',
      { connector_id: 'con_1' },
      'external_id: must be given together with connector_id',
    ],
    [
      'far page of changes without a cursor',
      { updated_since: '2026-01-31T12:00:00Z', offset: '10001' },
      'offset: must be at most 10000 with updated_since, got 10001: use cursor instead',
    ],
    ...(['q', 'email', 'employee_number', 'user_principal_name'] as const).map((name): [string, object, string] => [
      `far page of a search by ${name} without a cursor`,
      { [name]: 'ann', offset: '10001' },
      'offset: must be at most 10000 with this filter, got 10001: use cursor instead',
    ]),
  ])('reject a %s', (_what, query, complaint) => {
    expect(parsed(requests.directoryQuery, query)).toBe(complaint);
  });

  it('accept a far page of changes with a cursor, and of all people without one', () => {
    const changes = { updated_since: '2026-01-31T12:00:00Z', offset: '10001', cursor: 'x' };
    expect(parsed(requests.directoryQuery, changes)).toMatchObject({ offset: 10001 });
    expect(parsed(requests.directoryQuery, { offset: '10001' })).toMatchObject({ offset: 10001 });
  });

  it('read matched and risk of accounts and machine identities', () => {
    expect(parsed(requests.accountQuery, { matched: 'false' })).toMatchObject({ matched: false });
    expect(parsed(requests.accountQuery, { matched: 'no' })).toBe('matched: must be true or false');
    expect(parsed(requests.machineQuery, { min_risk: '40', max_risk: '100' })).toMatchObject({
      min_risk: 40,
      max_risk: 100,
    });
    expect(parsed(requests.machineQuery, { min_risk: '101' })).toBe('min_risk: must be at most 100');
  });

  it('sort machine identities by risk, unless they search', () => {
    expect(parsed(requests.machineQuery, { sort: 'risk', min_risk: '40' })).toMatchObject({ sort: 'risk' });
    expect(parsed(requests.machineQuery, { sort: 'name' })).toBe('sort: must be risk');
    expect(parsed(requests.machineQuery, { sort: 'risk', q: 'svc' })).toMatch(/^sort: cannot be combined with q, /);
  });

  it('take names and prefixes of events once each', () => {
    expect(parsed(requests.eventsQuery, { types: 'user.*,user.*,identity.created' })).toMatchObject({
      types: ['user.*', 'identity.created'],
      after: 0,
    });
    expect(parsed(requests.eventsQuery, { types: 'User Updated' })).toMatch(/^types: must be at most 100 event names/);
  });

  it('refuse names and prefixes that no event has', () => {
    const refusal = (types: string) => parsed(requests.eventsQuery, { types });
    expect(refusal('user.*,usr.*')).toBe('types: must name events that exist, unlike usr.*');
    expect(refusal('user.renamed')).toBe('types: must name events that exist, unlike user.renamed');
    expect(refusal('sync.*,*')).toMatchObject({ types: ['sync.*', '*'] });
    const replay = (name: string) => parsed(requests.replayBody, { since: '2026-01-01T00:00:00Z', events: [name] });
    expect(replay('user.renamed')).toBe('events: must name events that exist, unlike user.renamed');
    expect(replay('user.*')).toMatchObject({ events: ['user.*'] });
  });
});

describe('bodies of webhooks', () => {
  const withUrl = (callback_url: string) => ({ callback_url, events: ['*'] });

  it('normalise the address, and take each event once', () => {
    expect(parsed(requests.webhookBody, { callback_url: 'https://BÜCHER.example', events: ['*', '*'] })).toEqual({
      callback_url: 'https://xn--bcher-kva.example/',
      events: ['*'],
    });
  });

  it.each([
    ['another scheme', 'ftp://example.com'],
    ['credentials', 'https://user:secret@example.com'],
  ])('reject an address with %s', (_what, url) => {
    expect(parsed(requests.webhookBody, withUrl(url))).toBe(
      'callback_url: must be an http or https URL without credentials',
    );
  });

  it('reject an address with control characters, or one that is too long once encoded', () => {
    expect(parsed(requests.webhookBody, withUrl('https://example.com/\t'))).toMatch(/control characters/);
    expect(parsed(requests.webhookBody, withUrl(`https://example.com/${'ü'.repeat(1000)}`))).toMatch(/percent-encoded/);
  });

  it('reject an empty list of events and an overlap above 30 days', () => {
    expect(parsed(requests.webhookPatch, { events: [] })).toBe('events: must name at least one event');
    expect(parsed(requests.rotateBody, {})).toEqual({ overlap_hours: 24 });
    expect(parsed(requests.rotateBody, { overlap_hours: 721 })).toBe('overlap_hours: must be an integer from 0 to 720');
  });
});

describe('bodies of operators', () => {
  it('name the connector that takes the records of a deleted one, and only then', () => {
    expect(parsed(requests.connectorDeletionQuery, {})).toEqual({ records: 'keep' });
    expect(parsed(requests.connectorDeletionQuery, { records: 'hand_over', to: 'con_2' })).toMatchObject({
      to: 'con_2',
    });
    const complaint = 'to: is required with records=hand_over, and only then';
    expect(parsed(requests.connectorDeletionQuery, { records: 'hand_over' })).toBe(complaint);
    expect(parsed(requests.connectorDeletionQuery, { records: 'retire', to: 'con_2' })).toBe(complaint);
  });

  it('reject an expiry in the past or after the year 9999', () => {
    const complaint = 'expires_at: must be in the future';
    expect(parsed(requests.apiKeyBody, { name: 'a', expires_at: '2020-01-01T00:00:00Z' })).toBe(complaint);
    expect(parsed(requests.apiKeyBody, { name: 'a', expires_at: '9999-12-31T23:59:59.500Z' })).toBe(complaint);
  });

  it('name the identity that a case is linked to, and only then', () => {
    expect(parsed(requests.resolveBody, { resolution: 'link', identity_id: 'idn_1' })).toMatchObject({
      resolution: 'link',
    });
    const complaint = 'identity_id: is required with link and not allowed otherwise';
    expect(parsed(requests.resolveBody, { resolution: 'link' })).toBe(complaint);
    expect(parsed(requests.resolveBody, { resolution: 'new', identity_id: 'idn_1' })).toBe(complaint);
  });

  it('state the reason of a release, whose author is "operator" if it is not given', () => {
    expect(parsed(requests.releaseBody, { reason: ' checked ' })).toEqual({ reason: 'checked', by: 'operator' });
    expect(parsed(requests.releaseBody, { reason: ' ' })).toMatch(/^reason: /);
  });
});

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
}

const { paths, components } = openApiDocument('0.1.0') as {
  paths: Record<string, Record<string, Operation>>;
  components: object;
};
const bodies = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((content) => ({ operationId, ...content })),
  );

describe('the example of a request body', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);

  it.each(bodies)('of $operationId is valid', ({ schema, example }) => {
    const validate = ajv.compile({ ...schema, components });
    expect({ example, isValid: validate(example), errors: validate.errors }).toEqual({
      ...{ example, isValid: true, errors: null },
    });
  });
});

describe('topics of the API reference', () => {
  it('have every route, and every topic has a route', () => {
    const used = new Set(routes.map(topicOf));
    expect([...used, receivedEvents].sort()).toEqual(topics.map(({ name }) => name).sort());
  });

  it('stand in one section each', () => {
    expect(topicGroups.flatMap(({ tags }) => tags)).toEqual(topics.map(({ name }) => name));
  });

  it('separate routes of operators from public ones with the same first word', () => {
    const topicOfPath = (path: string) => topicOf({ path });
    expect(topicOfPath('/v1/webhooks')).toBe('Webhooks');
    expect(topicOfPath('/admin/v1/tenants/{tenantId}/webhooks')).toBe('Operator: webhooks');
    expect(() => topicOfPath('/v1/unknown')).toThrow('no topic of the API reference');
  });
});
