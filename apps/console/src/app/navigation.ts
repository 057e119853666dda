import type { IconName } from '../components/button';
import { includesRole, type Role, type Session } from '../data/session';

/** Paths of screens that need only a tenant. */
type ScreenPath =
  | '/$tenantId'
  | `/$tenantId/${'people' | 'cases' | 'accounts' | 'machines' | 'findings' | 'sources' | 'runs' | 'events' | 'webhooks' | 'rules' | 'access' | 'settings' | 'audit' | 'system'}`;

interface NavigationItem {
  label: string;
  to: ScreenPath;
  icon: IconName;
  /** Shown to these roles only. */
  needs?: Role;
  /** Shown to operators of all tenants only. */
  ofInstallation?: boolean;
}

/** Whether the item is shown to an operator. */
export function isShown({ needs, ofInstallation }: NavigationItem, { role, tenants }: Session['actor']): boolean {
  return (!needs || includesRole(role, needs)) && !(ofInstallation && tenants);
}

/** The sidebar and the commands of ⌘K, in the order in which people need them. */
export const navigation: readonly { title?: string; items: readonly NavigationItem[] }[] = [
  { items: [{ label: 'Home', to: '/$tenantId', icon: 'home' }] },
  {
    title: 'Directory',
    items: [
      { label: 'People', to: '/$tenantId/people', icon: 'person' },
      { label: 'Cases', to: '/$tenantId/cases', icon: 'cases' },
      { label: 'Accounts', to: '/$tenantId/accounts', icon: 'account' },
      { label: 'Machines', to: '/$tenantId/machines', icon: 'machine' },
      { label: 'Findings', to: '/$tenantId/findings', icon: 'finding' },
    ],
  },
  {
    title: 'Sources',
    items: [
      { label: 'Sources', to: '/$tenantId/sources', icon: 'source' },
      { label: 'Runs', to: '/$tenantId/runs', icon: 'run' },
      { label: 'Rules', to: '/$tenantId/rules', icon: 'rule' },
    ],
  },
  {
    title: 'Events',
    items: [
      { label: 'Events', to: '/$tenantId/events', icon: 'event' },
      { label: 'Webhooks', to: '/$tenantId/webhooks', icon: 'webhook' },
    ],
  },
  {
    title: 'Administration',
    items: [
      { label: 'Access', to: '/$tenantId/access', icon: 'access' },
      { label: 'Settings', to: '/$tenantId/settings', icon: 'settings' },
      { label: 'Audit log', to: '/$tenantId/audit', icon: 'history', needs: 'auditor' },
      { label: 'System', to: '/$tenantId/system', icon: 'system', ofInstallation: true },
    ],
  },
];
