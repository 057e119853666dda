import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Button, buttonClass, Icon } from '../components/button';
import { Dialog } from '../components/dialog';
import { useLiveEvents } from '../data/live-events';
import { hasExpired, readMethods, readSession, sessionQuery } from '../data/session';
import { useStore } from '../data/store';
import paletteStyles from './palette.module.css';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';
import { onSignIn, TokenForm } from './sign-in';

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

/**
 * Asks to sign in again when a request was refused because the session has ended. The screen stays as it is behind it, so
 * that no input is lost.
 */
function ExpiredSession() {
  if (!useStore(hasExpired)) return null;
  return (
    <Dialog open onOpenChange={() => {}} title="Your session has ended">
      <SignInAgain />
    </Dialog>
  );
}

function SignInAgain() {
  const client = useQueryClient();
  const { data: methods } = useQuery({ queryKey: ['sign-in-methods'], queryFn: readMethods });
  const [isWaiting, setWaiting] = useState(false);
  const resume = async () => {
    client.setQueryData(sessionQuery.queryKey, await readSession());
    await client.invalidateQueries();
  };
  useEffect(() => onSignIn(() => void resume()));
  return (
    <>
      <p>Sign in again to continue. What you have entered on this page is kept.</p>
      {methods?.oidc && !isWaiting && (
        <a
          className={buttonClass({ look: 'primary' })}
          href="/admin/v1/session/oidc/start?return_to=/console/sign-in/done"
          target="_blank"
          rel="noreferrer"
          onClick={() => setWaiting(true)}
        >
          Sign in with {methods.oidc.name} in a new tab
        </a>
      )}
      {isWaiting && <p role="status">This page goes on by itself when you have signed in.</p>}
      {isWaiting && (
        <Button look="primary" onClick={resume}>
          Continue here
        </Button>
      )}
      {methods?.token && <TokenForm onSignedIn={resume} />}
    </>
  );
}
