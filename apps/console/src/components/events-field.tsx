import { useId, useState } from 'react';
import { Button } from './button';
import { choose, type EventGroup, eventGroups, everyEvent, otherEvents } from './event-choices';
import styles from './events-field.module.css';
import { CheckField, FieldGroup } from './fields';
import { Icon } from './icon';

interface EventsFieldProps {
  events: readonly string[];
  onChange: (events: string[]) => void;
}

/** The events that a webhook subscribes to: all, all of a kind, or single ones. */
export function EventsField({ events, onChange }: EventsFieldProps) {
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
