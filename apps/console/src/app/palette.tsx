import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../components/button';
import { hostOf } from '../components/describe-webhook';
import dialog from '../components/dialog.module.css';
import { pathOf, targetOf } from '../components/id-targets';
import { useOpenPath } from '../components/links';
import { StatusBadge } from '../components/values';
import { read } from '../data/api';
import { attributeOf, machineOf, nameOf } from '../data/person';
import { connectorsQuery, webhooksQuery } from '../data/queries';
import { useSession } from '../data/session';
import { isShown, navigation } from './navigation';
import styles from './palette.module.css';
import { matchesName, type Option, screensOf } from './palette-options';

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
  const { options, isSearching, hasMore } = useFound(tenantId, useDeferredValue(text.trim()));
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
            {isSearching
              ? 'Searching…'
              : options.length > 0
                ? ''
                : hasMore
                  ? 'Nothing found so far, but there may be more: type more of it'
                  : `Nothing found for “${text.trim()}”`}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const fewest = 2;
const mostPeople = 8;
/** Of each other kind, so that all kinds are visible at once. */
const most = 4;
const cachedMs = 60_000;

/** Everything that a text finds: by its id, by name, or by the name of a screen. */
function useFound(tenantId: string, text: string): { options: Option[]; isSearching: boolean; hasMore: boolean } {
  const navigate = useNavigate();
  const openPath = useOpenPath();
  const { actor } = useSession();
  const target = targetOf(text);
  const isSearch = text.length >= fewest && !target;
  const whileTyped = { enabled: isSearch, staleTime: cachedMs, placeholderData: keepPreviousData };
  const people = useQuery({
    ...read('palette', 'GET /identities', { tenantId }, { q: text, limit: mostPeople }),
    ...whileTyped,
  });
  const machines = useQuery({
    ...read('palette-machines', 'GET /machine-identities', { tenantId }, { q: text, limit: most }),
    ...whileTyped,
  });
  const sources = useQuery({ ...connectorsQuery(tenantId), enabled: isSearch });
  const webhooks = useQuery({
    ...webhooksQuery(tenantId),
    enabled: isSearch,
    staleTime: cachedMs,
    refetchInterval: false,
  });
  // The person of a record is the screen that shows it.
  const record = useQuery({
    ...read('record', 'GET /records/{recordId}', { tenantId, recordId: text }),
    enabled: target?.isRecord === true,
  });
  const path = target && pathOf(target, text, record.data);
  const atPath = (path: string) => () => openPath(path);
  const screens = screensOf(
    navigation.flatMap(({ items }) => items).filter((item) => isShown(item, actor)),
    text,
  );
  const screenOptions = (shown: typeof screens.first): Option[] =>
    shown.map(({ label, to, icon }) => ({
      key: to,
      label,
      about: text === '' ? undefined : 'Screen',
      icon,
      open: () => navigate({ to, params: { tenantId } }),
    }));
  const found: Option[] = !isSearch
    ? []
    : [
        ...(people.data?.data ?? [])
          .filter((identity) => !machineOf(identity))
          .map((identity) => ({
            key: identity.id,
            label: nameOf(identity),
            about: [attributeOf(identity, 'email'), attributeOf(identity, 'job_title')].filter(Boolean).join(' · '),
            status: identity.status,
            icon: 'person' as const,
            open: atPath(`/people/${identity.id}`),
          })),
        ...(machines.data?.data ?? []).map(({ id, display_name, status }) => ({
          key: id,
          label: display_name,
          about: 'Machine',
          status,
          icon: 'machine' as const,
          open: atPath(`/machines/${id}`),
        })),
        ...(sources.data?.data ?? [])
          .filter(({ name }) => matchesName(name, text))
          .slice(0, most)
          .map(({ id, name, health }) => ({
            key: id,
            label: name,
            about: 'Source',
            status: health,
            icon: 'source' as const,
            open: atPath(`/sources/${id}`),
          })),
        ...(webhooks.data?.data ?? [])
          .filter(({ callback_url }) => matchesName(callback_url, text))
          .slice(0, most)
          .map(({ id, callback_url }) => ({
            key: id,
            label: hostOf(callback_url),
            about: 'Webhook',
            icon: 'webhook' as const,
            open: atPath(`/webhooks/${id}`),
          })),
      ];
  const options: Option[] = [
    ...(target && path !== undefined
      ? [{ key: text, label: target.label, about: text, icon: target.icon, open: atPath(path) }]
      : []),
    ...screenOptions(screens.first),
    ...found,
    ...screenOptions(screens.last),
  ];
  const isFetching = [people, machines, sources, webhooks].some((query) => query.isFetching);
  return {
    options,
    isSearching: (isSearch && isFetching && found.length === 0) || record.isFetching,
    hasMore: isSearch && [people, machines].some(({ data }) => data?.next_cursor !== undefined),
  };
}
