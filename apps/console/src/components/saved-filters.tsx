import { useState } from 'react';
import { forgetFilter, type KeptFilter, keepFilter, keptFilters } from '../data/kept-filters';
import { buttonClass } from './button';
import { TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Icon } from './icon';
import { MenuItem, PopupMenu } from './menu';
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
  const [name, setName] = useState('');
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
  const keep = async () => {
    keepFilter(of, { name: name.trim(), search: given as Record<string, string> });
    setKept(keptFilters(of));
    setNaming(false);
    setName('');
  };
  const apply = (filter: KeptFilter) => {
    const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    onApply({ ...none, ...filter.search } as Search);
  };
  return (
    <>
      <PopupMenu
        className={buttonClass({ look: 'quiet' })}
        trigger={
          <>
            Saved filters
            <Icon name="chevron" />
          </>
        }
        align="start"
      >
        {kept.map((filter) => (
          <MenuItem key={filter.name} onClick={() => apply(filter)}>
            <span className={menu.name} dir="auto">
              {filter.name}
            </span>
          </MenuItem>
        ))}
        {kept.length > 0 && <div className={menu.line} />}
        <MenuItem disabled={Object.keys(given).length === 0} onClick={() => setNaming(true)}>
          Save these filters…
        </MenuItem>
        {kept
          .filter((filter) => isSame(filter.search, given))
          .map(({ name: each }) => (
            <MenuItem
              key={each}
              onClick={() => {
                forgetFilter(of, each);
                setKept(keptFilters(of));
              }}
            >
              <span className={menu.name} dir="auto">
                Remove “{each}”
              </span>
            </MenuItem>
          ))}
      </PopupMenu>
      {isNaming && (
        <FormDialog
          title="Save these filters"
          action="Save"
          isReady={name.trim() !== ''}
          onClose={() => setNaming(false)}
          onSubmit={keep}
        >
          <TextField label="Name" value={name} onChange={setName} maxLength={60} hint="Kept in this browser." />
        </FormDialog>
      )}
    </>
  );
}

function isSame(a: object, b: object): boolean {
  const text = (value: object) => JSON.stringify(Object.entries(value).sort());
  return text(a) === text(b);
}
