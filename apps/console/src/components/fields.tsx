import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './button';
import styles from './fields.module.css';
import { wordsOf } from './words';

interface Labelled {
  label: string;
  hint?: string;
  error?: string;
}

type Control<Element extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Element>, 'onChange' | 'value'> & {
  value: string;
  onChange: (value: string) => void;
};

function useField({ label, hint, error }: Labelled) {
  const id = useId();
  const about = error ?? hint;
  const wrap = (control: ReactNode) => (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {control}
      {about && (
        <p id={`${id}-about`} className={error ? styles.error : styles.hint}>
          {about}
        </p>
      )}
    </div>
  );
  const given = { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': about ? `${id}-about` : undefined };
  return { wrap, given };
}

/** Browsers neither complete nor check it, because most fields hold names, codes and addresses. */
export function TextField({ label, hint, error, onChange, ...rest }: Labelled & Control<'input'>) {
  const { wrap, given } = useField({ label, hint, error });
  return wrap(
    <input
      autoComplete="off"
      spellCheck={false}
      {...rest}
      {...given}
      className={styles.control}
      onChange={(event) => onChange(event.target.value)}
    />,
  );
}

export function TextArea({ label, hint, error, onChange, ...rest }: Labelled & Control<'textarea'>) {
  const { wrap, given } = useField({ label, hint, error });
  return wrap(
    <textarea {...rest} {...given} className={styles.control} onChange={(event) => onChange(event.target.value)} />,
  );
}

export interface Choice {
  value: string;
  label: string;
}

/** Choices of codes of the API, as people read them. */
export function choicesOf(codes: readonly string[]): Choice[] {
  return codes.map((value) => ({ value, label: wordsOf(value) }));
}

/** A filter: its label is shown inside, so that a bar of filters stays one line. */
export function SelectFilter({
  label,
  any,
  value,
  choices,
  onChange,
}: {
  label: string;
  /** Shown for no value; absent if there is always one. */
  any?: string | undefined;
  value: string | undefined;
  choices: readonly Choice[];
  onChange: (value: string | undefined) => void;
}) {
  const id = useId();
  return (
    <div className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
        {any !== undefined && <option value="">{any}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function SelectField({
  label,
  hint,
  error,
  choices,
  onChange,
  ...rest
}: Labelled & Control<'select'> & { choices: readonly Choice[] }) {
  const { wrap, given } = useField({ label, hint, error });
  return wrap(
    <select {...rest} {...given} className={styles.control} onChange={(event) => onChange(event.target.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>,
  );
}

/** A box to tick, with its label beside it. */
export function CheckField({
  label,
  hint,
  checked,
  disabled,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-about` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-about`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Fields that belong together, under a heading. */
export function FieldGroup({ legend, hint, children }: { legend: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{legend}</legend>
      {hint && <p className={styles.hint}>{hint}</p>}
      {children}
    </fieldset>
  );
}

const settleMs = 200;

/** A search box that reports its text when the typing pauses. */
export function SearchField({
  label,
  value,
  onChange,
  placeholder,
  autoFocus = false,
  narrow = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  autoFocus?: boolean;
  narrow?: boolean;
}) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useRef(onChange);
  report.current = onChange;
  useEffect(() => {
    // Changed from outside, such as by the back button.
    if (value !== reported.current) {
      reported.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      report.current(text);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className={narrow ? `${styles.search} ${styles.narrow}` : styles.search}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: only on screens whose purpose is the search
        autoFocus={autoFocus}
      />
    </div>
  );
}

export function FilterBar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}
