import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { useLiveEvents } from '../data/live-events';
import { ExpiredSession } from './expired-session';
import paletteStyles from './palette.module.css';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';
import { usePalette } from './use-palette';

const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));

/** The frame of all screens of a tenant. */
export function Shell({ tenantId }: { tenantId: string }) {
  useLiveEvents(tenantId);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const palette = usePalette();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.bar}>
        <Button
          look="quiet"
          iconOnly
          aria-label={isMenuOpen ? 'Close navigation' : 'Open navigation'}
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? 'close' : 'menu'} />
        </Button>
        <span className={styles.brand}>idsync</span>
        <Button look="quiet" iconOnly aria-label="Search" onClick={palette.open}>
          <Icon name="search" />
        </Button>
      </header>
      <Sidebar tenantId={tenantId} isOpen={isMenuOpen} onSearch={palette.open} onNavigate={() => setMenuOpen(false)} />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      {palette.isOpen && (
        <Suspense fallback={<TypedAhead text={palette.text} />}>
          <Palette tenantId={tenantId} text={palette.text} onText={palette.setText} onClose={palette.close} />
        </Suspense>
      )}
      <ExpiredSession />
    </div>
  );
}

/** Looks like the search until its code is loaded, with what was typed meanwhile. */
function TypedAhead({ text }: { text: string }) {
  return (
    <div className={paletteStyles.popup} aria-hidden="true">
      <div className={paletteStyles.box}>
        <Icon name="search" />
        <span className={paletteStyles.ahead}>{text}</span>
      </div>
    </div>
  );
}
