import { EventsField } from './events-field';
import { SelectField, TextArea, TextField } from './fields';
import { HeadersField } from './headers-field';
import type { WebhookInput } from './webhook-input';

const payloads = [
  { value: 'full', label: 'Full: the resource as it is after the event' },
  { value: 'thin', label: 'Thin: ids only; the receiver reads the rest with its API key' },
];

interface WebhookFieldsProps {
  input: WebhookInput;
  /** Names of the stored headers. */
  headerNames?: readonly string[];
  onChange: (changed: Partial<WebhookInput>) => void;
}

/** Address, events, filter, payload and headers of a webhook. The service checks them. */
export function WebhookFields({ input, headerNames = [], onChange }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label="Address"
        hint="An http or https URL, at a public address unless private networks are allowed."
        type="url"
        required
        placeholder="https://receiver.example.com/hook"
        value={input.address}
        onChange={(address) => onChange({ address })}
      />
      <EventsField events={input.events} onChange={(events) => onChange({ events })} />
      <TextArea
        label="Filter (optional)"
        hint='JSON: only events whose body matches are sent, such as {"field": "data.status", "equals": "active"}.'
        rows={3}
        spellCheck={false}
        value={input.filter}
        onChange={(filter) => onChange({ filter })}
      />
      <SelectField
        label="Payload"
        hint="Applies to deliveries of later events."
        choices={payloads}
        value={input.payload}
        onChange={(payload) => onChange({ payload: payload === 'thin' ? 'thin' : 'full' })}
      />
      <HeadersField stored={headerNames} headers={input.headers} onChange={(headers) => onChange({ headers })} />
    </>
  );
}
