import { useId, useState } from 'react';
import { Button, Icon } from './button';
import { CheckField, FieldGroup, SelectField, TextArea, TextField } from './fields';
import styles from './webhook-fields.module.css';
import {
  choose,
  type EventGroup,
  eventGroups,
  everyEvent,
  type HeaderInput,
  otherEvents,
  type WebhookInput,
} from './webhook-input';

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

/** The events that a webhook subscribes to: all, all of a kind, or single ones. */
function EventsField({ events, onChange }: { events: readonly string[]; onChange: (events: string[]) => void }) {
  const areAll = events.includes(everyEvent);
  const toggle = (name: string) => (isChosen: boolean) => onChange(choose(events, name, isChosen));
  return (
    <FieldGroup legend="Events">
      <div className={styles.events}>
        <CheckField
          label="All events"
          hint="Also those of later versions."
          checked={areAll}
          onChange={toggle(everyEvent)}
        />
        {!areAll && eventGroups.map((group) => <Group key={group.prefix} {...{ group, events, toggle }} />)}
        {otherEvents(events).map((name) => (
          <CheckField key={name} label={name} checked onChange={toggle(name)} />
        ))}
      </div>
    </FieldGroup>
  );
}

interface GroupProps {
  group: EventGroup;
  events: readonly string[];
  toggle: (name: string) => (isChosen: boolean) => void;
}

function Group({ group: { prefix, types }, events, toggle }: GroupProps) {
  const isWhole = events.includes(prefix);
  const chosen = isWhole ? types : types.filter((type) => events.includes(type));
  const [isOpen, setOpen] = useState(!isWhole && chosen.length > 0);
  const id = useId();
  return (
    <>
      <div className={styles.group}>
        <CheckField label={prefix} checked={isWhole} onChange={toggle(prefix)} />
        <Button
          small
          look="quiet"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${chosen.length} of ${types.length} events of ${prefix}`}
          onClick={() => setOpen(!isOpen)}
        >
          {chosen.length} of {types.length}
          <Icon name="chevron" size={14} />
        </Button>
      </div>
      <div id={id} className={styles.types} hidden={!isOpen}>
        {types.map((type) => (
          <CheckField
            key={type}
            label={type}
            checked={chosen.includes(type)}
            disabled={isWhole}
            onChange={toggle(type)}
          />
        ))}
      </div>
    </>
  );
}

interface HeadersFieldProps {
  /** Names of the stored headers, whose values are not shown. */
  stored: readonly string[];
  /** Absent: the stored ones stay. */
  headers: readonly HeaderInput[] | undefined;
  onChange: (headers: readonly HeaderInput[] | undefined) => void;
}

/** Additional headers of each request. Stored ones stay, or all are replaced. */
function HeadersField({ stored, headers, onChange }: HeadersFieldProps) {
  if (!headers)
    return (
      <FieldGroup legend="Additional headers" hint="Their values are stored encrypted and are never shown.">
        <div className={styles.stored}>
          <code>{stored.join(', ')}</code>
          <Button small onClick={() => onChange(stored.map((name) => ({ name, value: '' })))}>
            Replace…
          </Button>
        </div>
      </FieldGroup>
    );
  const change = (at: number, changed: Partial<HeaderInput>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...changed } : header)));
  return (
    <FieldGroup
      legend="Additional headers (optional)"
      hint="Sent with each request, for example to pass a proxy. Their values are stored encrypted and are never shown."
    >
      {headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: headers are added at the end only, and have no id
        <div key={at} className={styles.header}>
          <TextField label={`Header ${at + 1}`} value={name} onChange={(text) => change(at, { name: text })} />
          <TextField label={`Value ${at + 1}`} value={value} onChange={(text) => change(at, { value: text })} />
          <Button
            iconOnly
            look="quiet"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      <div className={styles.actions}>
        <Button small onClick={() => onChange([...headers, { name: '', value: '' }])}>
          <Icon name="plus" size={14} />
          Add a header
        </Button>
        {stored.length > 0 && (
          <Button small look="quiet" onClick={() => onChange(undefined)}>
            Keep the stored ones
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}
