import { Link } from '@tanstack/react-router';
import styles from './settings.module.css';
import { type SettingsView, settingsViews, viewNames } from './views';

/** The sections of the settings: a list beside them, or above them on a narrow window. */
export function SettingsNav({ current, unsaved }: { current: SettingsView; unsaved: readonly SettingsView[] }) {
  return (
    <nav className={styles.nav} aria-label="Sections of the settings">
      {settingsViews.map((view) => (
        <Link
          key={view}
          from="/$tenantId/settings"
          to="."
          search={{ view: view === 'general' ? undefined : view }}
          className={styles.section}
          // The parameter of the URL alone decides which section is current.
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={view === current ? 'page' : undefined}
          resetScroll={false}
        >
          {viewNames[view]}
          {unsaved.includes(view) && (
            <span className={styles.unsaved} title="Not saved">
              <span className="visually-hidden"> (not saved)</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
