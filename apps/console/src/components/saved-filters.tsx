import { Menu } from '@base-ui/react/menu';
import { type FormEvent, useState } from 'react';
import { forgetFilter, type KeptFilter, keepFilter, keptFilters } from '../data/kept-filters';
import { Button, buttonClass } from './button';
import { Dialog } from './dialog';
import dialog from './dialog.module.css';
import { TextField } from './fields';
import { FormActions } from './form-parts';
import { Icon } from './icon';
import menu from './menu.module.css';

interface SavedFiltersProps<Search extends object> {
  of: string;
  search: Search;
  onApply: (change: Search) => unknown;
}

/** Filters of the list that this browser keeps by name. */
export function SavedFilters<Search extends object>({ of, search, onApply }: SavedFiltersProps<Search>) {
  const [kept, setKept] = useState(() => keptFilters(of));
  const [isNaming, setNaming] = useState(false);
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
  const apply = (filter: KeptFilter) => {
    const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    onApply({ ...none, ...filter.search } as Search);
  };
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonClass({ look: 'quiet' })}>
          Saved filters
          <Icon name="chevron" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="start">
            <Menu.Popup className={menu.popup}>
              {kept.map((filter) => (
                <Menu.Item key={filter.name} className={menu.item} onClick={() => apply(filter)}>
                  <span className={menu.name} dir="auto">
                    {filter.name}
                  </span>
                </Menu.Item>
              ))}
              {kept.length > 0 && <div className={menu.line} />}
              <Menu.Item
                className={menu.item}
                disabled={Object.keys(given).length === 0}
                onClick={() => setNaming(true)}
              >
                Save these filters…
              </Menu.Item>
              {kept
                .filter((filter) => isSame(filter.search, given))
                .map(({ name }) => (
                  <Menu.Item
                    key={name}
                    className={menu.item}
                    onClick={() => {
                      forgetFilter(of, name);
                      setKept(keptFilters(of));
                    }}
                  >
                    <span className={menu.name} dir="auto">
                      Remove “{name}”
                    </span>
                  </Menu.Item>
                ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isNaming && (
        <Dialog open onOpenChange={setNaming} title="Save these filters">
          <NameForm
            onName={(name) => {
              keepFilter(of, { name, search: given as Record<string, string> });
              setKept(keptFilters(of));
              setNaming(false);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function NameForm({ onName }: { onName: (name: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) onName(name.trim());
  };
  return (
    <form className={dialog.form} onSubmit={submit}>
      <TextField label="Name" value={name} onChange={setName} maxLength={60} hint="Kept in this browser." />
      <FormActions>
        <Button type="submit" look="primary" disabled={name.trim() === ''}>
          Save
        </Button>
      </FormActions>
    </form>
  );
}

function isSame(a: object, b: object): boolean {
  const text = (value: object) => JSON.stringify(Object.entries(value).sort());
  return text(a) === text(b);
}
