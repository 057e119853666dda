import { Button } from './button';
import { FieldGroup, TextField } from './fields';
import styles from './headers-field.module.css';
import { Icon } from './icon';
import type { HeaderInput } from './webhook-input';

interface HeadersFieldProps {
  /** Names of the stored headers, whose values are not shown. */
  stored: readonly string[];
  /** Absent: the stored ones stay. */
  headers: readonly HeaderInput[] | undefined;
  onChange: (headers: readonly HeaderInput[] | undefined) => void;
}

/** Additional headers of each request. Stored ones stay, or all are replaced. */
export function HeadersField({ stored, headers, onChange }: HeadersFieldProps) {
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
