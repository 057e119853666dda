import type { operations, WebhookDetails } from '@idsync/client/operator';

type NewWebhook = operations['adminCreateWebhook']['requestBody']['content']['application/json'];
type WebhookPatch = operations['adminUpdateWebhook']['requestBody']['content']['application/json'];
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
