import type { IconName } from '../components/icon';
import type { Role } from '../data/session';

/** Paths of screens that need only a tenant. */
export type ScreenPath = '/$tenantId' | '/$tenantId/people' | '/$tenantId/cases';

export interface NavigationItem {
  label: string;
  to: ScreenPath;
  icon: IconName;
  /** Shown to these roles only. */
  needs?: Role;
}

/** The sidebar and the commands of ⌘K, in the order in which people need them. */
export const navigation: readonly { title?: string; items: readonly NavigationItem[] }[] = [
  { items: [{ label: 'Home', to: '/$tenantId', icon: 'home' }] },
  {
    title: 'Directory',
    items: [
      { label: 'People', to: '/$tenantId/people', icon: 'person' },
      { label: 'Cases', to: '/$tenantId/cases', icon: 'cases' },
    ],
  },
];
