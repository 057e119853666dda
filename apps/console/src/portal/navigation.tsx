import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';
import { type Place, pathOf, placeOf } from './places';

const listeners = new Set<() => void>();

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

export function usePlace(): Place {
  return placeOf(useSyncExternalStore(onChange, () => location.pathname));
}

function open(place: Place): void {
  history.pushState(null, '', pathOf(place) + location.search);
  for (const listener of listeners) listener();
  scrollTo(0, 0);
}

/** A link to a place. With a modifier key, the browser opens it as it opens any link. */
export function PlaceLink({ place, ...rest }: { place: Place } & Omit<ComponentProps<'a'>, 'href' | 'onClick'>) {
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    open(place);
  };
  return <a {...rest} href={pathOf(place) + location.search} onClick={onClick} />;
}
