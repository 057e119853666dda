import type { ComponentProps, MouseEvent } from 'react';
import { Store, useStore } from '../data/store';
import { type Place, pathOf, placeOf } from './places';

const path = new Store(location.pathname);
addEventListener('popstate', () => path.set(location.pathname));

export function usePlace(): Place {
  return placeOf(useStore(path));
}

function open(place: Place): void {
  history.pushState(null, '', pathOf(place) + location.search);
  path.set(location.pathname);
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
