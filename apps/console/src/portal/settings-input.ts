import type { operations, WebhookDetails } from '@idsync/client/operator';

type WebhookPatch = operations['updateWebhook']['requestBody']['content']['application/json'];

/** The settings of a webhook as they are typed. */
export interface SettingsInput {
  address: string;
  events: string;
  filter: string;
  active: boolean;
}

export function settingsOf({
  callback_url,
  events,
  filter,
  active,
}: Pick<WebhookDetails, 'callback_url' | 'events' | 'filter' | 'active'>): SettingsInput {
  return {
    address: callback_url,
    events: events.join('\n'),
    filter: filter ? JSON.stringify(filter, null, 2) : '',
    active,
  };
}

/** Throws an error with a message for the dialog if the filter is no JSON. */
export function settingsPatch({ address, events, filter, active }: SettingsInput): WebhookPatch {
  return {
    callback_url: address.trim(),
    events: events.split(/[\s,]+/).filter((each) => each !== ''),
    filter: filterOf(filter.trim()),
    active,
  };
}

function filterOf(text: string): WebhookPatch['filter'] {
  if (text === '') return null;
  try {
    return JSON.parse(text) as WebhookPatch['filter'];
  } catch {
    throw new Error('The filter is no valid JSON.');
  }
}
