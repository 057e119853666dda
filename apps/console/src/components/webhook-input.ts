import type { Input, OneTenant, WebhookDetails } from '@idsync/client/operator';
import { eventTypes } from '@idsync/contracts/fixed-values';

type NewWebhook = Input<OneTenant, 'POST /webhooks'>;
type WebhookPatch = Input<OneTenant, 'PATCH /webhooks/{webhookId}'>;
type Filter = NonNullable<WebhookPatch['filter']>;

export interface HeaderInput {
  name: string;
  value: string;
}

/** The settings of a webhook as they are entered. */
export interface WebhookInput {
  address: string;
  events: readonly string[];
  filter: string;
  payload: 'full' | 'thin';
  /** Absent: the stored headers stay, whose values are not shown. */
  headers?: readonly HeaderInput[] | undefined;
}

export const newWebhook: WebhookInput = { address: '', events: [], filter: '', payload: 'full', headers: [] };

type Given = Pick<WebhookDetails, 'callback_url' | 'events' | 'filter' | 'payload' | 'header_names'>;

export function webhookInputOf({ callback_url, events, filter, payload, header_names }: Given): WebhookInput {
  return {
    address: callback_url,
    events,
    filter: filter ? JSON.stringify(filter, null, 2) : '',
    payload: payload ?? 'full',
    ...(!header_names?.length && { headers: [] }),
  };
}

/** Throws an error with a message for the form if the filter is no JSON. */
export function createBody(input: WebhookInput): NewWebhook {
  const { filter, ...body } = patchBody(input);
  return { ...body, ...(filter && { filter }) };
}

/** Throws an error with a message for the form if the filter is no JSON. */
export function patchBody({ address, events, filter, payload, headers }: WebhookInput) {
  return {
    callback_url: address.trim(),
    events: [...events],
    filter: filterOf(filter.trim()),
    payload,
    ...(headers && { headers: headersOf(headers) }),
  } satisfies WebhookPatch;
}

function headersOf(headers: readonly HeaderInput[]): Record<string, string> {
  const given = headers.map(({ name, value }) => [name.trim(), value.trim()] as const);
  return Object.fromEntries(given.filter(([name, value]) => name !== '' || value !== ''));
}

function filterOf(text: string): Filter | null {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Filter;
  } catch {
    throw new Error('The filter is no valid JSON.');
  }
}

// Every webhook receives its own tests, whatever it subscribes to.
const types = eventTypes.filter((type) => type !== 'webhook.test');

export const everyEvent = '*';

export interface EventGroup {
  /** The prefix as subscriptions name it, such as `user.*`. */
  prefix: string;
  types: readonly string[];
}

const prefixOf = (type: string) => `${type.slice(0, type.lastIndexOf('.'))}.*`;

/** The events that a webhook can subscribe to, by their prefix. */
export const eventGroups: readonly EventGroup[] = [...new Set(types.map(prefixOf))].map((prefix) => ({
  prefix,
  types: types.filter((type) => prefixOf(type) === prefix),
}));

/** Entries that are no event or prefix of this version, such as events of a later one. */
export function otherEvents(events: readonly string[]): string[] {
  const known = new Set([everyEvent, ...eventGroups.flatMap(({ prefix, types: each }) => [prefix, ...each])]);
  return events.filter((name) => !known.has(name));
}

/** Returns the subscription with or without an entry. A prefix replaces its events, and `*` everything. */
export function choose(events: readonly string[], name: string, isChosen: boolean): string[] {
  const rest = events.filter((each) => each !== name);
  if (!isChosen) return rest;
  if (name === everyEvent) return [everyEvent];
  const covered = eventGroups.find(({ prefix }) => prefix === name)?.types ?? [];
  return [...rest.filter((each) => !covered.includes(each)), name];
}
