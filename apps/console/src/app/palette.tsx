import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import dialog from '../components/dialog.module.css';
import { Icon, type IconName } from '../components/icon';
import { StatusBadge } from '../components/status-badge';
import { useOpenPath } from '../components/tenant-link';
import { useSession } from '../data/access';
import { answerOf, api } from '../data/api';
import { readPeople } from '../data/people';
import { attributeOf, nameOf } from '../data/person';
import { pathOf, targetOf } from './id-targets';
import { isShown, navigation, type ScreenPath } from './navigation';
import styles from './palette.module.css';

interface Option {
  key: string;
  label: string;
  about?: string;
  status?: string;
  icon: IconName;
  open: () => unknown;
}

const fewest = 2;
const shown = 8;

/** ⌘K: finds people by name, mail, number or login, anything by its id, and opens screens. Used by the keyboard alone. */
export function Palette({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { options, isSearching } = useOptions(tenantId, useDeferredValue(text.trim()));
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
              placeholder="Name, mail, number, login or any id"
              value={text}
              spellCheck={false}
              autoComplete="off"
              onKeyDown={onKeyDown}
              onChange={(event) => {
                setText(event.target.value);
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

function useOptions(tenantId: string, text: string): { options: Option[]; isSearching: boolean } {
  const navigate = useNavigate();
  const openPath = useOpenPath();
  const { actor } = useSession();
  const target = targetOf(text);
  const isSearch = text.length >= fewest && !target;
  const people = useQuery({
    queryKey: ['palette', tenantId, text],
    queryFn: () => readPeople(tenantId, { q: text, limit: shown }),
    enabled: isSearch,
    placeholderData: (old) => old,
  });
  // The person of a record is the screen that shows it.
  const record = useQuery({
    queryKey: ['record', tenantId, text],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/records/{recordId}', { params: { path: { tenantId, recordId: text } } }),
      ),
    enabled: target?.isRecord === true,
  });
  const path = target && pathOf(target, text, record.data);
  const found = isSearch ? (people.data?.data ?? []) : [];
  const screens = navigation
    .flatMap(({ items }) => items)
    .filter((item) => isShown(item, actor) && begins(item.label, text));
  const options: Option[] = [
    ...(target && path !== undefined
      ? [
          {
            key: text,
            label: target.label,
            about: text,
            icon: target.icon,
            open: () => openPath(tenantId, path),
          },
        ]
      : []),
    ...found.map((identity) => ({
      key: identity.id,
      label: nameOf(identity),
      about: [attributeOf(identity, 'email'), attributeOf(identity, 'job_title')].filter(Boolean).join(' · '),
      status: identity.status,
      icon: 'person' as const,
      open: () => navigate({ to: '/$tenantId/people/$identityId', params: { tenantId, identityId: identity.id } }),
    })),
    ...screens.map(({ label, to, icon }) => ({
      key: to,
      label,
      icon,
      open: () => navigate({ to: to as ScreenPath, params: { tenantId } }),
    })),
  ];
  const isSearching = (isSearch && people.isFetching && found.length === 0) || record.isFetching;
  return { options, isSearching };
}

function begins(label: string, text: string): boolean {
  return label
    .toLowerCase()
    .split(' ')
    .some((word) => word.startsWith(text.toLowerCase()));
}
