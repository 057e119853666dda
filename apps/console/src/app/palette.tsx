import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import dialog from '../components/dialog.module.css';
import { Icon } from '../components/icon';
import { StatusBadge } from '../components/status-badge';
import styles from './palette.module.css';
import type { Option } from './palette-options';
import { useFound } from './use-found';

interface PaletteProps {
  tenantId: string;
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
}

/**
 * ⌘K: finds people by name, mail, number or login, machines, sources and webhooks by name, anything by its id, and opens
 * screens. Used by the keyboard alone.
 */
export function Palette({ tenantId, text, onText, onClose }: PaletteProps) {
  const [current, setCurrent] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { options, isSearching } = useFound(tenantId, useDeferredValue(text.trim()));
  const chosen = Math.min(current, options.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  const open = (option: Option | undefined) => {
    if (!option) return;
    onClose();
    option.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setCurrent((chosen + step + options.length) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(options[chosen]);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className="visually-hidden">Search</Dialog.Title>
          <div className={styles.box}>
            <Icon name="search" />
            <input
              role="combobox"
              aria-label="Search"
              aria-expanded={options.length > 0}
              aria-controls={listId}
              aria-activedescendant={options[chosen] && `${listId}-${chosen}`}
              aria-autocomplete="list"
              placeholder="Person, machine, source, webhook, screen or any id"
              value={text}
              spellCheck={false}
              autoComplete="off"
              // Keys that were typed before are its text already, and the next one belongs behind them.
              onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                onText(event.target.value);
                setCurrent(0);
              }}
            />
            <kbd>Esc</kbd>
          </div>
          <div id={listId} ref={list} role="listbox" aria-label="Results" className={styles.list}>
            {options.map(({ key, label, about, status, icon }, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, as ARIA describes comboboxes
              // biome-ignore lint/a11y/useKeyWithClickEvents: as above
              <div
                key={key}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === chosen}
                className={styles.option}
                onPointerMove={() => setCurrent(index)}
                onClick={() => open(options[index])}
              >
                <Icon name={icon} />
                <span className={styles.label} dir="auto">
                  {label}
                </span>
                {about && <span className={styles.about}>{about}</span>}
                {status && <StatusBadge status={status} />}
              </div>
            ))}
          </div>
          <p className={styles.note} role="status">
            {isSearching ? 'Searching…' : options.length === 0 ? `Nothing found for “${text.trim()}”` : ''}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
