import type { ComponentProps } from 'react';
import { Button } from '../../components/button';
import { Form } from '../../components/form';
import { Section } from '../../components/page';
import styles from './settings.module.css';
import { type SettingsView, viewNames } from './views';

interface SectionFormProps extends Pick<ComponentProps<typeof Form>, 'mayChange' | 'onSubmit' | 'children'> {
  view: SettingsView;
  about: string;
  isChanged: boolean;
  onDiscard: () => void;
}

/** Settings that are saved together. */
export function SectionForm({ view, about, isChanged, onDiscard, children, ...form }: SectionFormProps) {
  return (
    <Section title={viewNames[view]}>
      <Form
        {...form}
        className={styles.form}
        action="Save"
        isReady={isChanged}
        cancel={
          <Button type="reset" disabled={!isChanged}>
            Discard
          </Button>
        }
        onReset={onDiscard}
      >
        <p className={styles.about}>{about}</p>
        {children}
      </Form>
    </Section>
  );
}
