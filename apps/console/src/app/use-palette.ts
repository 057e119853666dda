import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * State of the search of ⌘K. Its code is loaded when it is opened first: keys that arrive until its input has the focus
 * are added to its text here, so that none is lost.
 */
export function usePalette() {
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
