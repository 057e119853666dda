import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { useLiveEvents } from '../data/live-events';
import { ExpiredSession } from './expired-session';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';

const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));

/** The frame of all screens of a tenant. */
export function Shell() {
  const { tenantId } = useParams({ from: '/signed-in/$tenantId' });
  useLiveEvents(tenantId);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      const isShortcut = (event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !isTyping);
      if (!isShortcut) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
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
        <Button look="quiet" iconOnly aria-label="Search" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
        </Button>
      </header>
      <Sidebar
        tenantId={tenantId}
        isOpen={isMenuOpen}
        onSearch={() => setPaletteOpen(true)}
        onNavigate={() => setMenuOpen(false)}
      />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      {isPaletteOpen && (
        <Suspense>
          <Palette tenantId={tenantId} onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
      <ExpiredSession />
    </div>
  );
}
