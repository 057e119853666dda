import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Button, Icon } from '../components/button';
import { useLiveEvents } from '../data/live-events';
import { ExpiredSession } from './expired-session';
import paletteStyles from './palette.module.css';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';

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

/**
 * State of the search of ⌘K. Its code is loaded when it is opened first: keys that arrive until its input has the focus
 * are added to its text here, so that none is lost.
 */
function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  // The next key may arrive before the effect of a new state has run.
  const opened = useRef(false);
  const open = useCallback(() => {
    opened.current = true;
    setOpen(true);
  }, []);
  const close = useCallback(() => {
    opened.current = false;
    setOpen(false);
    setText('');
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isShortcut = event.key === 'k' && (event.metaKey || event.ctrlKey);
      if (isShortcut || (!opened.current && event.key === '/' && !isTyping(event))) {
        event.preventDefault();
        open();
      } else if (opened.current && !isInPalette(event)) {
        if (event.key === 'Escape') return close();
        const typed = typedBy(event);
        if (typed === undefined) return;
        event.preventDefault();
        setText(typed);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open, close]);
  return { isOpen, text, setText, open, close };
}

/** How a key changes the text; undefined for a key that writes nothing. */
function typedBy(event: KeyboardEvent): ((text: string) => string) | undefined {
  const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  if (isCommand) return undefined;
  if (event.key === 'Backspace') return (text) => [...text].slice(0, -1).join('');
  return [...event.key].length === 1 ? (text) => text + event.key : undefined;
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

function isInPalette({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('[role="combobox"]');
}
